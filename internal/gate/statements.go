package gate

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/syntax"
)

// releasing are the methods of mutexes that release what another acquires.
var releasing = map[string]string{"Lock": "Unlock", "RLock": "RUnlock"}

// mutexCall is the call that a statement is of a method of a mutex of package sync, and the name
// of the method.
func mutexCall(info *types.Info, s ast.Stmt) (*ast.CallExpr, string) {
	call := syntax.PlainCall(s)
	if call == nil {
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
		if list := syntax.ListIn(n); list != nil {
			visit(list)
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
}
