package lostupdate

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/constant"
	"go/printer"
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/syntax"
)

// spell writes a path of f as Go source: as an argument of the call does, as a variable or a function
// does that gives it, or put together from what f has. It is empty where there is no way, or where writing it
// twice could do something twice. fails says that it is a call which returns an error, too.
func spell(p *failure.Package, f *effects.Func, call *ast.CallExpr, path *pathexpr.Term) (text string, fails bool) {
	if s := argument(p, f, call, path); s != "" {
		return s, false
	}
	if s := variable(p, f, call, path); s != "" {
		return s, false
	}
	if path.Kind == pathexpr.Field && reachable(p, path) {
		if of := variable(p, f, call, path.Args[0]); of != "" {
			return of + "." + path.Text, false
		}
	}
	text, fails = accessor(p, f, call, path)
	if text != "" && !fails {
		return text, false
	}
	if s := spelled(p, f, path); s != "" {
		return s, false
	}
	return text, fails
}

// argument is the argument of a call of f that is the path.
func argument(p *failure.Package, f *effects.Func, call *ast.CallExpr, path *pathexpr.Term) string {
	args := argsAt(p, f, call)
	skip := len(args) - len(call.Args)
	if skip < 0 {
		return ""
	}
	for i, e := range call.Args {
		t := p.Term(args[skip+i])
		if memory.IsString(args[skip+i].Type()) && memory.SameFile(t, path) && t.Loosenings() == path.Loosenings() && repeatable(p, e) {
			return source(p, e)
		}
	}
	return ""
}

// variable is a variable that f declares with what a call returns, and never changes, which is the
// path, or the object, where another call stands.
func variable(p *failure.Package, f *effects.Func, at *ast.CallExpr, path *pathexpr.Term) string {
	body := effects.BodyOf(f.SSA)
	if body == nil || at == nil {
		return ""
	}
	for a := range syntax.Nodes[*ast.AssignStmt](body) {
		call := syntax.SoleCall(a)
		if call == nil || a.Tok != token.DEFINE || a.End() > at.Pos() {
			continue
		}
		results := resultsAt(p, f, call)
		for i, lhs := range a.Lhs {
			id, ok := lhs.(*ast.Ident)
			n := slices.IndexFunc(results, func(v ssa.Value) bool {
				x, part := v.(*ssa.Extract)
				return part == (len(a.Lhs) > 1) && (!part || x.Index == i)
			})
			if !ok || n < 0 {
				continue
			}
			obj := p.Pass.TypesInfo.Defs[id]
			if _, there := p.Pass.Pkg.Scope().Innermost(at.Pos()).LookupParent(id.Name, at.Pos()); obj == nil || there != obj {
				continue
			}
			changes := syntax.Some(body, func(a *ast.AssignStmt) bool {
				return slices.ContainsFunc(a.Lhs, func(lhs ast.Expr) bool {
					id, ok := lhs.(*ast.Ident)
					return ok && p.Pass.TypesInfo.Uses[id] == obj
				})
			})
			t := p.Term(results[n])
			same := t != nil && (t.Equal(path) || memory.IsString(results[n].Type()) && memory.SameFile(t, path))
			if same && !changes && t.Loosenings() == path.Loosenings() {
				return id.Name
			}
		}
	}
	return ""
}

// resultsAt are the results of a call of f that it takes.
func resultsAt(p *failure.Package, f *effects.Func, call *ast.CallExpr) []ssa.Value {
	for i := range flow.Instrs(f.SSA) {
		if c, ok := i.(*ssa.Call); ok && p.CallAt(c.Common().Pos()) == call {
			return cycles.ResultsOf(c)
		}
	}
	return nil
}

// argsAt are the arguments of a call of f, the receiver first.
func argsAt(p *failure.Package, f *effects.Func, call *ast.CallExpr) []ssa.Value {
	for _, b := range f.SSA.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok && p.CallAt(c.Common().Pos()) == call {
				return memory.CallArgs(c.Common())
			}
		}
	}
	return nil
}

func source(p *failure.Package, e ast.Expr) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, p.Fset, e); err != nil || strings.Contains(b.String(), "\n") {
		return ""
	}
	return b.String()
}

// repeatable reports whether an expression can be evaluated once more: it calls
// nothing but what computes paths.
func repeatable(p *failure.Package, e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			ok = ok && computes(p, n)
		case *ast.FuncLit, *ast.UnaryExpr, *ast.IndexExpr:
			ok = false
		}
		return ok
	})
	return ok
}

// computes reports whether a call does nothing but compute a path.
func computes(p *failure.Package, call *ast.CallExpr) bool {
	if p.Pass.TypesInfo.Types[call.Fun].IsType() {
		return true
	}
	fn, ok := typeutil.Callee(p.Pass.TypesInfo, call).(*types.Func)
	if !ok {
		return false
	}
	if row, ok := known.Lookup(fn); ok {
		return row.Op == known.JoinPath || row.Op == known.Part || row.Op == known.Same || row.Op == known.Akin || row.Op == known.NameOf || row.Op == known.Format
	}
	if callee := p.Callee(call); callee != nil {
		return quiet(callee)
	}
	return fn.Pkg() == p.Pass.Pkg && p.SSA.Prog.FuncValue(fn) != nil && quiet(p.Of(p.SSA.Prog.FuncValue(fn)))
}

// quiet reports whether a function does nothing to files and locks.
func quiet(f *effects.Func) bool { return f != nil && len(f.Effects) == 0 && len(f.Local) == 0 }

// accessor is a call of a function that gives the path: of one that cannot fail, where there is one.
func accessor(p *failure.Package, f *effects.Func, at *ast.CallExpr, path *pathexpr.Term) (text string, fails bool) {
	for g := range getters(p, f, at, path) {
		s := called(p, f, at, g, path)
		if s != "" && g.sig.Results().Len() == 1 {
			return s, false
		}
		text = cmp.Or(text, s)
	}
	return text, text != ""
}

// A pathGetter is a function that gives a path and does nothing to files and locks.
type pathGetter struct {
	name   string // by which it is called, without what it is a method of
	sig    *types.Signature
	result *pathexpr.Term
}

// getters yields the functions that f may call for a path: those of the package, and the exported
// ones of others of the program that are methods of what the path is a field of, or that stand in a
// package which has a name at a call of f.
func getters(p *failure.Package, f *effects.Func, at *ast.CallExpr, path *pathexpr.Term) iter.Seq[pathGetter] {
	return func(yield func(pathGetter) bool) {
		for _, g := range p.Funcs {
			if g.SSA.Parent() == nil && g != f && returnsText(g.SSA.Signature) && len(g.Results) > 0 && quiet(g) && g.SSA.TypeParams().Len() == 0 &&
				!yield(pathGetter{g.SSA.Name(), g.SSA.Signature, g.Results[0]}) {
				return
			}
		}
		elsewhere := func(fn *types.Func, name string) bool {
			if !fn.Exported() || !returnsText(fn.Signature()) || fn.Signature().TypeParams().Len() > 0 || fn.Signature().RecvTypeParams().Len() > 0 || !ofModule(p, fn.Pkg().Path()) {
				return true
			}
			s := p.Fact(fn)
			return s == nil || len(s.Effects) > 0 || len(s.Results) == 0 || yield(pathGetter{name, fn.Signature(), s.Results[0]})
		}
		for owner := range owners(p, path) {
			for m := range owner.Methods() {
				if !elsewhere(m, m.Name()) {
					return
				}
			}
		}
		for name, pkg := range importsAt(p, at) {
			for _, n := range pkg.Scope().Names() {
				if fn, ok := pkg.Scope().Lookup(n).(*types.Func); ok && !elsewhere(fn, name+"."+n) {
					return
				}
			}
		}
	}
}

// returnsText reports whether a function returns one text, with an error or without.
func returnsText(sig *types.Signature) bool {
	res := sig.Results()
	return res.Len() > 0 && memory.IsString(res.At(0).Type()) && (res.Len() == 1 || res.Len() == 2 && memory.IsErrorType(res.At(1).Type()))
}

// owners yields the types of other packages of which path has fields.
func owners(p *failure.Package, path *pathexpr.Term) iter.Seq[*types.Named] {
	return func(yield func(*types.Named) bool) {
		for _, pkg := range p.Pass.Pkg.Imports() {
			if path.Any(func(t *pathexpr.Term) bool {
				name, ok := strings.CutPrefix(t.Type, pkg.Path()+".")
				if !ok || t.Kind != pathexpr.Field {
					return false
				}
				of, ok := pkg.Scope().Lookup(name).(*types.TypeName)
				if !ok {
					return false
				}
				named, ok := of.Type().(*types.Named)
				return ok && !yield(named)
			}) {
				return
			}
		}
	}
}

// importsAt yields the packages that have a name where a call stands, with that.
func importsAt(p *failure.Package, at *ast.CallExpr) iter.Seq2[string, *types.Package] {
	return func(yield func(string, *types.Package) bool) {
		if at == nil {
			return
		}
		here := p.Pass.Pkg.Scope().Innermost(at.Pos())
		for s := here; s != nil; s = s.Parent() {
			for _, name := range s.Names() {
				of, ok := s.Lookup(name).(*types.PkgName)
				if _, seen := here.LookupParent(name, at.Pos()); ok && seen == of && !yield(name, of.Imported()) {
					return
				}
			}
		}
	}
}

// called is a call of g with what f has at another call, where it gives the path; empty for another one.
func called(p *failure.Package, f *effects.Func, at *ast.CallExpr, g pathGetter, path *pathexpr.Term) string {
	params := g.sig.Params().Len()
	if g.sig.Recv() != nil {
		params++
	}
	bound := make([]*pathexpr.Term, params)
	if r := g.result; r == nil || r.Kind == pathexpr.Const || r.Kind == pathexpr.Param || r.Loosenings() > 0 || !r.Matches(path, bound) {
		return ""
	}
	args := make([]string, len(bound))
	for i, t := range bound {
		if t == nil {
			t = ownArgument(f, g.sig, i)
		}
		if t == nil {
			return ""
		}
		if args[i] = cmp.Or(spelled(p, f, t), variable(p, f, at, t)); args[i] == "" {
			return ""
		}
	}
	if g.sig.Recv() != nil {
		return args[0] + "." + g.name + "(" + strings.Join(args[1:], ", ") + ")"
	}
	return g.name + "(" + strings.Join(args, ", ") + ")"
}

// ownArgument is what f is given itself of the type of a receiver, or of a context, that a function takes
// without making the path of it; nil for nothing.
func ownArgument(f *effects.Func, sig *types.Signature, i int) *pathexpr.Term {
	var want *types.Var
	if want = sig.Recv(); want == nil || i > 0 {
		if want != nil {
			i--
		}
		if want = sig.Params().At(i); types.TypeString(want.Type(), nil) != "context.Context" {
			return nil
		}
	}
	for n, param := range f.SSA.Params {
		if types.Identical(param.Type(), want.Type()) {
			return pathexpr.NewParam(n, param.Name(), "")
		}
	}
	return nil
}

// constantOf is the one constant of the package that has the name of a file as its text; empty where
// none has, or several, and for a text that may be something else.
func constantOf(p *failure.Package, text string) (name string) {
	if !strings.Contains(text, ".") {
		return ""
	}
	scope := p.Pass.Pkg.Scope()
	for _, n := range scope.Names() {
		if c, ok := scope.Lookup(n).(*types.Const); ok && types.AssignableTo(c.Type(), types.Typ[types.String]) && constant.StringVal(c.Val()) == text {
			if name != "" {
				return ""
			}
			name = n
		}
	}
	return name
}

// spelled puts a path together from the parameters of f, their fields, package
// variables and constants. What was trimmed or cut on the way cannot be.
func spelled(p *failure.Package, f *effects.Func, t *pathexpr.Term) string {
	if t.Loose {
		return ""
	}
	switch t.Kind {
	case pathexpr.Const:
		return cmp.Or(constantOf(p, t.Text), strconv.Quote(t.Text))
	case pathexpr.Param:
		if t.Index < len(f.SSA.Params) && t.Text != "_" && t.Text != "" {
			return t.Text
		}
	case pathexpr.Field:
		if base := spelled(p, f, t.Args[0]); base != "" && reachable(p, t) {
			return base + "." + t.Text
		}
	case pathexpr.Global:
		if name, ok := strings.CutPrefix(t.Text, p.Pass.Pkg.Path()+"."); ok {
			return name
		}
	case pathexpr.Join:
		if parts := spelledAll(p, f, elements(t.Args)); parts != nil {
			return "filepath.Join(" + strings.Join(parts, ", ") + ")"
		}
	case pathexpr.Concat:
		return strings.Join(spelledAll(p, f, t.Args), " + ")
	}
	return ""
}

// reachable reports whether the package may name a field.
func reachable(p *failure.Package, field *pathexpr.Term) bool {
	return ast.IsExported(field.Text) || strings.HasPrefix(field.Type, p.Pass.Pkg.Path()+".")
}

// elements are the parts of a joined path, those behind the first without a
// separator in them.
func elements(args []*pathexpr.Term) []*pathexpr.Term {
	list := slices.Clone(args[:1])
	for _, t := range args[1:] {
		if t.Kind != pathexpr.Const {
			list = append(list, t)
			continue
		}
		for name := range strings.SplitSeq(t.Text, "/") {
			list = append(list, pathexpr.New(pathexpr.Const, name))
		}
	}
	return list
}

func spelledAll(p *failure.Package, f *effects.Func, terms []*pathexpr.Term) []string {
	parts := make([]string, len(terms))
	for i, t := range terms {
		if parts[i] = spelled(p, f, t); parts[i] == "" {
			return nil
		}
	}
	return parts
}
