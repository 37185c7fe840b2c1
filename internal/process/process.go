// Package process says which functions wait for something outside of the process (a
// program that they start, a user who types), and which end it. What other packages do it
// knows by facts.
package process

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/syntax"
)

// A Fact is what is known of a package with functions that lead out of the process, or that
// never return: their full names, in order. Asserting are those that do not return where they are
// handed an error, with the number of the parameter that it is.
type Fact struct {
	Programs, User, Endless []string
	Asserting               []Assertion
}

// An Assertion is a function, by its full name, and the number of a parameter.
type Assertion struct {
	Func  string
	Param int
}

// AFact marks it as one.
func (*Fact) AFact() {}

// A lead is what code outside of the process a function waits for.
type lead uint8

const (
	program lead = 1 << iota // one that is started
	user                     // whoever types
)

// An Index says which functions lead out of the process: those that name a function
// which does, whether they call it or hand it on.
type Index struct {
	pass  *analysis.Pass
	funcs map[*types.Func]lead
	facts map[*types.Package]*Fact
	outer map[*types.Func]lead // functions of other packages, once asked

	endless map[*types.Func]bool // the functions that never return
	asserts map[*types.Func]int  // those that do not where they are handed an error, with the number of the parameter; those of other packages once asked, -1 for none
}

// New indexes the functions of a package.
func New(pass *analysis.Pass) *Index {
	l := &Index{
		pass:    pass,
		funcs:   map[*types.Func]lead{},
		facts:   map[*types.Package]*Fact{},
		outer:   map[*types.Func]lead{},
		endless: map[*types.Func]bool{},
		asserts: map[*types.Func]int{},
	}
	if !slices.ContainsFunc(pass.Pkg.Imports(), l.namesOutside) {
		return l
	}
	named := map[*types.Func][]*types.Func{} // by function, those that name it
	var open []*types.Func
	list := l.namings()
	for _, in := range list {
		if in.outside {
			l.funcs[in.fn], _ = l.direct(in.code, token.NoPos)
		}
		if l.funcs[in.fn] != 0 {
			open = append(open, in.fn)
		}
		for to := range in.names {
			named[to] = append(named[to], in.fn)
		}
	}
	for len(open) > 0 {
		to := open[len(open)-1]
		open = open[:len(open)-1]
		for _, fn := range named[to] {
			if l.funcs[fn]|l.funcs[to] != l.funcs[fn] {
				l.funcs[fn] |= l.funcs[to]
				open = append(open, fn)
			}
		}
	}
	l.findEndless(list, named)
	return l
}

// A naming is what a function of the package, outside of its tests, names.
type naming struct {
	fn      *types.Func
	code    *ast.BlockStmt
	names   map[*types.Func]bool // the functions of the package that it names
	outside bool                 // it names something of another package that leads out
	ends    bool                 // it names a function of another package that never returns, for an error at least, or panic
}

// namings are those of the package, in source order. What they name is told by the
// uses alone, which takes a fraction of a walk over the syntax.
func (l *Index) namings() []*naming {
	var list []*naming
	for _, file := range l.pass.Files {
		if memory.InTestFile(l.pass.Fset, file.FileStart) {
			continue
		}
		for _, d := range file.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			if fn, ok := l.pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
				list = append(list, &naming{fn: fn, code: decl.Body, names: map[*types.Func]bool{}})
			}
		}
	}
	slices.SortFunc(list, func(a, b *naming) int { return cmp.Compare(a.code.Pos(), b.code.Pos()) })
	for id, obj := range l.pass.TypesInfo.Uses {
		var own *types.Func
		ends := false
		switch obj := obj.(type) {
		case *types.Func:
			if obj.Pkg() == l.pass.Pkg {
				own = obj.Origin()
			} else if ends = l.Ends(obj) || l.Asserts(obj) >= 0; !ends && l.abroad(obj) == 0 && !isStarter(obj) {
				continue
			}
		case *types.Var:
			if !isStdin(obj) {
				continue
			}
		case *types.Builtin:
			if ends = obj.Name() == "panic"; !ends {
				continue
			}
		default:
			continue
		}
		n, _ := slices.BinarySearchFunc(list, id.Pos(), func(b *naming, pos token.Pos) int { return cmp.Compare(b.code.End(), pos) })
		switch {
		case n == len(list) || id.Pos() < list[n].code.Pos():
		case own != nil:
			list[n].names[own] = true
		case ends:
			list[n].ends = true
		default:
			list[n].outside = true
		}
	}
	return list
}

// isStdin reports whether a variable is the standard input.
func isStdin(v *types.Var) bool { return v.Name() == "Stdin" && known.Path(v) == "os" }

// namesOutside reports whether a package has a function or variable that leads out.
func (l *Index) namesOutside(pkg *types.Package) bool {
	switch pkg.Path() {
	case "os", "os/exec", "fmt", "syscall", "log":
		return true
	}
	return known.HasPrompts(pkg) || l.fact(pkg) != nil
}

// fact is what is known of another package, nil for nothing.
func (l *Index) fact(pkg *types.Package) *Fact {
	f, ok := l.facts[pkg]
	if !ok {
		var fact Fact
		if l.pass.ImportPackageFact(pkg, &fact) {
			f = &fact
		}
		l.facts[pkg] = f
	}
	return f
}

// of is where the code of a node behind a position leads.
func (l *Index) of(n ast.Node, from token.Pos) lead {
	leads, own := l.direct(n, from)
	for _, fn := range own {
		leads |= l.funcs[fn]
	}
	return leads
}

// direct is where code behind a position leads by what it names of other packages, and the
// functions of the package that it names.
func (l *Index) direct(n ast.Node, from token.Pos) (to lead, own []*types.Func) {
	starts, made, harmful := false, 0, false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if name := l.command(n); name != nil {
				made++
				harmful = harmful || !l.bystander(name, n.Args[slices.Index(n.Args, name)+1:])
			}
		case *ast.Ident:
			if n.Pos() < from {
				return true
			}
			switch obj := l.pass.TypesInfo.Uses[n].(type) {
			case *types.Var:
				if isStdin(obj) {
					to |= user
				}
			case *types.Func:
				if obj.Pkg() == l.pass.Pkg {
					own = append(own, obj.Origin())
				} else {
					starts = starts || isStarter(obj)
					to |= l.abroad(obj)
				}
			}
		}
		return true
	})
	if starts && (made == 0 || harmful) {
		to |= program
	}
	return to, own
}

// abroad is where a function of another package leads.
func (l *Index) abroad(fn *types.Func) lead {
	if fn.Pkg() == nil {
		return 0
	}
	to, ok := l.outer[fn]
	if !ok {
		to = l.farther(fn)
		l.outer[fn] = to
	}
	return to
}

// farther is what abroad remembers.
func (l *Index) farther(fn *types.Func) lead {
	var to lead
	if known.Prompts(fn) {
		to = user
	}
	if f := l.fact(fn.Pkg()); f != nil {
		name := fn.Origin().FullName()
		if _, ok := slices.BinarySearch(f.Programs, name); ok {
			to |= program
		}
		if _, ok := slices.BinarySearch(f.User, name); ok {
			to |= user
		}
	}
	return to
}

// command is the argument that names the program, of a call that makes a command.
func (l *Index) command(call *ast.CallExpr) ast.Expr {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	fn, _ := l.pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	at := 0
	switch {
	case known.Is(fn, "os/exec.CommandContext"):
		at = 1
	case known.Is(fn, "os/exec.Command"):
	default:
		return nil
	}
	if at >= len(call.Args) {
		return nil
	}
	return call.Args[at]
}

// bystanders are programs that run nothing of anybody else's, by name and, where
// that is not enough, by their first argument.
var bystanders = map[string][]string{
	"git": {"config", "rev-parse", "remote", "symbolic-ref", "ls-files", "log", "show", "diff", "branch"},
	"ps":  nil, "pgrep": nil, "kill": nil, "pkill": nil, "lsof": nil, "uname": nil, "hostname": nil, "id": nil, "whoami": nil, "which": nil,
}

// bystander reports whether a program is one of those.
func (l *Index) bystander(name ast.Expr, args []ast.Expr) bool {
	firsts, ok := bystanders[l.text(name)]
	return ok && (firsts == nil || len(args) > 0 && slices.Contains(firsts, l.text(args[0])))
}

// text is the value of a constant text.
func (l *Index) text(e ast.Expr) string {
	if v := l.pass.TypesInfo.Types[e].Value; v != nil && v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	return ""
}

// Export tells the packages that import this one.
func (l *Index) Export() {
	var fact Fact
	for fn, to := range l.funcs {
		if !fn.Exported() {
			continue
		}
		if to&program != 0 {
			fact.Programs = append(fact.Programs, fn.FullName())
		}
		if to&user != 0 {
			fact.User = append(fact.User, fn.FullName())
		}
	}
	for fn := range l.endless {
		if fn.Exported() {
			fact.Endless = append(fact.Endless, fn.FullName())
		}
	}
	for fn, i := range l.asserts {
		if i >= 0 && fn.Exported() && fn.Pkg() == l.pass.Pkg {
			fact.Asserting = append(fact.Asserting, Assertion{fn.FullName(), i})
		}
	}
	if len(fact.Programs)+len(fact.User)+len(fact.Endless)+len(fact.Asserting) == 0 {
		return
	}
	slices.Sort(fact.Programs)
	slices.Sort(fact.User)
	slices.Sort(fact.Endless)
	slices.SortFunc(fact.Asserting, func(a, b Assertion) int { return cmp.Compare(a.Func, b.Func) })
	l.pass.ExportPackageFact(&fact)
}

// Waits is the first call behind a position of a body, nil for none, that leads to a wait for the user's answer, or to
// the start of a program that may run what is somebody else's.
func (l *Index) Waits(body *ast.BlockStmt, from token.Pos) token.Pos {
	if body == nil || l.of(body, from)&(program|user) == 0 {
		return token.NoPos
	}
	for call := range syntax.Nodes[*ast.CallExpr](body) {
		if call.Pos() >= from && l.of(call, from)&(program|user) != 0 {
			return call.Pos()
		}
	}
	return body.Pos()
}

// isStarter reports whether a function starts a program.
func isStarter(fn *types.Func) bool {
	switch known.Path(fn) {
	case "os/exec", "os", "syscall":
		return starters[fn.FullName()]
	}
	return false
}

// starters are the functions that start a program.
var starters = map[string]bool{
	"(*os/exec.Cmd).Start": true, "(*os/exec.Cmd).Run": true, "(*os/exec.Cmd).Output": true, "(*os/exec.Cmd).CombinedOutput": true,
	"os.StartProcess": true, "syscall.ForkExec": true, "syscall.StartProcess": true,
}
