package gate

import (
	"go/ast"
	"go/types"

	"github.com/lockvet/lockvet/internal/known"
)

// An EmptySection is where a mutex is released in the statement behind the one that acquires
// it, and the block goes on with what the mutex is there for.
type EmptySection struct {
	Acquire, Release *ast.CallExpr
	// Mutex is the mutex as both spell it, or says whose it is where both call methods of what embeds it.
	Mutex string
	// Used is the first field beside the mutex that is used behind it; of a mutex that is a
	// package variable, the first function that is called.
	Used ast.Expr
}

// EmptySections lists those of a body, without the function literals in it. Where nothing is used
// behind it, or the mutex is acquired again before that, the function has waited for others, and
// no section is meant.
func EmptySections(info *types.Info, body *ast.BlockStmt) (list []EmptySection) {
	eachList(body, func(stmts []ast.Stmt) {
		for i := 1; i < len(stmts); i++ {
			take, name := mutexCall(info, stmts[i-1])
			let, other := mutexCall(info, stmts[i])
			if take == nil || let == nil || releasing[name] != other {
				continue
			}
			mutex := take.Fun.(*ast.SelectorExpr).X
			text := types.ExprString(mutex)
			if text != types.ExprString(let.Fun.(*ast.SelectorExpr).X) {
				continue
			}
			if !ofSync(info.TypeOf(mutex)) {
				text = "the mutex of " + text
			}
			if used := usedBehind(info, mutex, stmts[i+1:]); used != nil {
				list = append(list, EmptySection{take, let, text, used})
			}
		}
	})
	return list
}

// usedBehind is what statements use of what a mutex is there for, nil for nothing, or where
// they acquire it first.
func usedBehind(info *types.Info, mutex ast.Expr, stmts []ast.Stmt) (used ast.Expr) {
	owner, again := "", false
	if o := ownerOf(info, mutex); o != nil {
		owner = types.ExprString(o)
	} else if id, ok := mutex.(*ast.Ident); !ok || !PackageLevel(info.Uses[id]) {
		return nil
	}
	for _, s := range stmts {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				sel, method := n.Fun.(*ast.SelectorExpr)
				again = again || method && releasing[sel.Sel.Name] != "" && types.ExprString(sel.X) == types.ExprString(mutex)
				if owner == "" && used == nil && !again {
					used = n.Fun
				}
			case *ast.SelectorExpr:
				if owner != "" && used == nil && !again && types.ExprString(n.X) == owner && guardable(info, n) {
					used = n
				}
			}
			return used == nil && !again
		})
	}
	return used
}

// guardable reports whether a selector is a field that a mutex can guard. Methods may take the
// lock themselves; conditions, groups and channels need none, and who waits for others wakes or
// tells somebody by them.
func guardable(info *types.Info, sel *ast.SelectorExpr) bool {
	v, ok := info.Uses[sel.Sel].(*types.Var)
	if !ok || !v.IsField() {
		return false
	}
	_, channel := v.Type().Underlying().(*types.Chan)
	return !channel && !ofSync(v.Type())
}

// ownerOf is what a mutex is a field of, or is embedded in.
func ownerOf(info *types.Info, mutex ast.Expr) ast.Expr {
	if sel, ok := mutex.(*ast.SelectorExpr); ok {
		if v, ok := info.Uses[sel.Sel].(*types.Var); ok && v.IsField() {
			return sel.X
		}
		return nil // of another package
	}
	if t := info.TypeOf(mutex); t != nil && !ofSync(t) {
		return mutex
	}
	return nil
}

// ofSync reports whether a type is one of package sync, and not one that embeds it.
func ofSync(t types.Type) bool {
	named, ok := types.Unalias(known.Pointee(t)).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "sync"
}
