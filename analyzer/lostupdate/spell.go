package lostupdate

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/constant"
	"go/printer"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// spell writes a path of f as Go source: as an argument of the call does, as a
// function of the package does that gives it, or put together from what f has. It
// is empty where there is no way, or where writing it twice could do something
// twice.
func spell(p *failure.Package, f *effects.Func, call *ast.CallExpr, path *pathexpr.Term) string {
	if s := argument(p, f, call, path); s != "" {
		return s
	}
	if s := accessor(p, f, path); s != "" {
		return s
	}
	return spelled(p, f, path)
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

// accessor is a call of a function of the package that gives the path.
func accessor(p *failure.Package, f *effects.Func, path *pathexpr.Term) string {
	for _, g := range p.Funcs {
		res := g.SSA.Signature.Results()
		if g.SSA.Parent() != nil || g == f || res.Len() != 1 || !memory.IsString(res.At(0).Type()) || g.Results == nil || !quiet(g) || g.SSA.TypeParams().Len() > 0 {
			continue
		}
		bound := make([]*pathexpr.Term, len(g.SSA.Params))
		if g.Results[0] == nil || g.Results[0].Kind == pathexpr.Const || g.Results[0].Kind == pathexpr.Param || g.Results[0].Loosenings() > 0 || !g.Results[0].Matches(path, bound) || slices.Contains(bound, nil) {
			continue
		}
		if s := called(p, f, g, bound); s != "" {
			return s
		}
	}
	return ""
}

// called is a call of g with arguments of f.
func called(p *failure.Package, f, g *effects.Func, bound []*pathexpr.Term) string {
	args := make([]string, len(bound))
	for i, t := range bound {
		if args[i] = spelled(p, f, t); args[i] == "" {
			return ""
		}
	}
	if g.SSA.Signature.Recv() != nil {
		return args[0] + "." + g.SSA.Name() + "(" + strings.Join(args[1:], ", ") + ")"
	}
	return g.SSA.Name() + "(" + strings.Join(args, ", ") + ")"
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
		if base := spelled(p, f, t.Args[0]); base != "" && strings.HasPrefix(t.Type, p.Pass.Pkg.Path()+".") {
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
