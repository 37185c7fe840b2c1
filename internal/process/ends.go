package process

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/cfg"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/lockvet/lockvet/internal/known"
)

// Ends reports whether a function of another package, or of this one outside of its tests,
// never returns: it ends the program or its goroutine on every way.
func (l *Index) Ends(fn *types.Func) bool {
	switch {
	case fn.Pkg() == l.pass.Pkg:
		return l.endless[fn.Origin()]
	case fn.Pkg() == nil:
		return false
	case known.EndsProgram(fn) == known.Certain:
		return true
	}
	f := l.fact(fn.Pkg())
	if f == nil {
		return false
	}
	_, ok := slices.BinarySearch(f.Endless, fn.Origin().FullName())
	return ok
}

// Asserts is the number of the parameter of a function of another package, or of this one outside of its
// tests, for which it never returns if that is an error: it ends the program or its goroutine then. It is
// -1 for any other function.
func (l *Index) Asserts(fn *types.Func) int {
	fn = fn.Origin()
	i, ok := l.asserts[fn]
	switch {
	case ok:
		return i
	case fn.Pkg() == nil || fn.Pkg() == l.pass.Pkg:
		return -1
	}
	l.asserts[fn] = l.assertsAbroad(fn)
	return l.asserts[fn]
}

// assertsAbroad is Asserts of a function of another package.
func (l *Index) assertsAbroad(fn *types.Func) int {
	f := l.fact(fn.Pkg())
	if f == nil {
		return known.Asserts(fn)
	}
	i, ok := slices.BinarySearchFunc(f.Asserting, fn.FullName(), func(a Assertion, name string) int { return cmp.Compare(a.Func, name) })
	if !ok {
		return -1
	}
	return f.Asserting[i].Param
}

// findEndless notes the functions of the package that never return, or not with an error. Only those can
// that name one which does not; where one is found, those that name it are asked again.
func (l *Index) findEndless(list []*naming, named map[*types.Func][]*types.Func) {
	code := map[*types.Func]*ast.BlockStmt{}
	var open []*types.Func
	for _, in := range list {
		code[in.fn] = in.code
		if in.ends {
			open = append(open, in.fn)
		}
	}
	for len(open) > 0 {
		fn := open[len(open)-1]
		open = open[:len(open)-1]
		body, asserts := code[fn], l.Asserts(fn) >= 0
		switch {
		case l.endless[fn] || body == nil:
			continue
		case !l.returns(body, nil):
			l.endless[fn] = true
		case asserts || !l.findAsserted(fn, body):
			continue
		}
		open = append(open, named[fn]...)
	}
}

// findAsserted notes the first parameter with which a function never returns if it is an error, or anything
// else but nil, and reports whether there is one.
func (l *Index) findAsserted(fn *types.Func, body *ast.BlockStmt) bool {
	i := 0
	for par := range fn.Signature().Params().Variables() {
		if nilable(par.Type()) && !l.changes(body, par) && !l.returns(l.failing(body, par), par) {
			l.asserts[fn] = i
			return true
		}
		i++
	}
	return false
}

// nilable reports whether a value of a type can be an error, or none.
func nilable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Pointer:
		return true
	}
	return false
}

// changes reports whether a body assigns to a parameter, or takes its address.
func (l *Index) changes(body *ast.BlockStmt, par *types.Var) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return l.is(e, par) })
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && l.is(n.X, par)
		}
		return !found
	})
	return found
}

// failing is a body without what it does not do where a parameter is an error.
func (l *Index) failing(body *ast.BlockStmt, par *types.Var) *ast.BlockStmt {
	with := &ast.BlockStmt{Lbrace: body.Lbrace, Rbrace: body.Rbrace}
	for _, s := range body.List {
		check, ok := s.(*ast.IfStmt)
		cond, compares := (*ast.BinaryExpr)(nil), false
		if ok && check.Init == nil {
			cond, compares = ast.Unparen(check.Cond).(*ast.BinaryExpr)
		}
		switch {
		case !compares || !l.is(cond.X, par) || !l.pass.TypesInfo.Types[cond.Y].IsNil():
			with.List = append(with.List, s)
		case cond.Op == token.NEQ:
			with.List = append(with.List, check.Body)
		case check.Else != nil:
			with.List = append(with.List, check.Else)
		}
	}
	return with
}

// is reports whether an expression names a parameter.
func (l *Index) is(e ast.Expr, par *types.Var) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && par != nil && l.pass.TypesInfo.Uses[id] == par
}

// returns reports whether a body can come to its end or to a return statement, where a parameter is an
// error, nil for none. One that has deferred something can: that may catch what would keep it from there.
func (l *Index) returns(body *ast.BlockStmt, failed *types.Var) bool {
	return !cfg.New(body, func(call *ast.CallExpr) bool {
		switch fn := typeutil.Callee(l.pass.TypesInfo, call).(type) {
		case *types.Builtin:
			return fn.Name() != "panic"
		case *types.Func:
			i := l.Asserts(fn)
			return !l.Ends(fn) && !(i >= 0 && i < len(call.Args) && l.is(call.Args[i], failed))
		}
		return true
	}).NoReturn()
}
