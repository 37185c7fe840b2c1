package gate

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/lockvet/lockvet/internal/known"
)

// releasing are the methods of mutexes that release what another acquires.
var releasing = map[string]string{"Lock": "Unlock", "RLock": "RUnlock"}

// mutexCall is the call that a statement is of a method of a mutex of package sync, and the name
// of the method.
func mutexCall(info *types.Info, s ast.Stmt) (*ast.CallExpr, string) {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return nil, ""
	}
	call, ok := x.X.(*ast.CallExpr)
	if !ok {
		return nil, ""
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, ""
	}
	if fn, ok := info.Uses[sel.Sel].(*types.Func); !ok || known.Path(fn) != "sync" || !strings.HasSuffix(fn.Name(), "ock") {
		return nil, ""
	}
	return call, sel.Sel.Name
}

// eachList visits the lists of statements of a body, without the function literals in it.
func eachList(body *ast.BlockStmt, visit func([]ast.Stmt)) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt:
			visit(n.List)
		case *ast.CaseClause:
			visit(n.Body)
		case *ast.CommClause:
			visit(n.Body)
		}
		return true
	})
}
