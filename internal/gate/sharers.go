package gate

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/syntax"
)

// sharers are the functions that have a mutex in a variable, and name it in a literal that they
// start as a goroutine, in a loop; those that release a mutex as soon as they have it; and those
// that use without the lock what they look at once more under it.
func sharers(pass *analysis.Pass) map[types.Object]bool {
	list := map[types.Object]bool{}
	if !slices.ContainsFunc(pass.Pkg.Imports(), func(p *types.Package) bool { return p.Path() == "sync" }) {
		return list
	}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && (sharesMutex(pass.TypesInfo, fd.Body) || locksOddly(pass.TypesInfo, fd.Body)) {
				list[pass.TypesInfo.Defs[fd.Name]] = true
			}
		}
	}
	return list
}

// locksOddly reports whether a body, or a literal in it, has a [DoubleCheck].
func locksOddly(info *types.Info, body *ast.BlockStmt) bool {
	odd := func(b *ast.BlockStmt) bool { return len(DoubleChecks(info, b)) > 0 }
	return odd(body) || syntax.Some(body, func(lit *ast.FuncLit) bool { return odd(lit.Body) })
}

// sharesMutex reports whether a loop in a body starts goroutines that name a mutex which is a
// variable of the body.
func sharesMutex(info *types.Info, body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		var loop *ast.BlockStmt
		switch n := n.(type) {
		case *ast.ForStmt:
			loop = n.Body
		case *ast.RangeStmt:
			loop = n.Body
		}
		if loop == nil || found {
			return !found
		}
		for lit := range startedIn(loop) {
			ast.Inspect(lit.Body, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				found = found || ok && isLocalMutex(info.Uses[id], body)
				return !found
			})
		}
		return !found
	})
	return found
}

// startedIn lists the literals that statements start as goroutines, by a go statement or by a
// method that is called so.
func startedIn(body *ast.BlockStmt) map[*ast.FuncLit]bool {
	list := map[*ast.FuncLit]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if lit, ok := n.Call.Fun.(*ast.FuncLit); ok {
				list[lit] = true
			}
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Go" && len(n.Args) == 1 {
				if lit, ok := n.Args[0].(*ast.FuncLit); ok {
					list[lit] = true
				}
			}
		}
		return true
	})
	return list
}

// isLocalMutex reports whether an object is a variable of a body that is a mutex.
func isLocalMutex(obj types.Object, body *ast.BlockStmt) bool {
	v, ok := obj.(*types.Var)
	return ok && body.Pos() <= v.Pos() && v.Pos() < body.End() && known.IsMutex(v.Type())
}
