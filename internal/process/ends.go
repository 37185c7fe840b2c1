package process

import (
	"go/ast"
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

// findEndless notes the functions of the package that never return. Only those can that name
// one which does not; where one is found, those that name it are asked again.
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
		if l.endless[fn] || code[fn] == nil || l.returns(code[fn]) {
			continue
		}
		l.endless[fn] = true
		open = append(open, named[fn]...)
	}
}

// returns reports whether a body can come to its end or to a return statement. One that has
// deferred something can: that may catch what would keep it from there.
func (l *Index) returns(body *ast.BlockStmt) bool {
	return !cfg.New(body, func(call *ast.CallExpr) bool {
		switch fn := typeutil.Callee(l.pass.TypesInfo, call).(type) {
		case *types.Builtin:
			return fn.Name() != "panic"
		case *types.Func:
			return !l.Ends(fn)
		}
		return true
	}).NoReturn()
}
