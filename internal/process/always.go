package process

import (
	"go/ast"
	"go/token"
	"go/types"
)

// AlwaysAsksUser reports whether a function of the package waits for the user's answer on each
// way on which it comes back without an error.
func (l *Index) AlwaysAsksUser(fn *types.Func) bool { return l.alwaysOf(fn)&user != 0 }

// AlwaysStartsProgram reports whether a function of the package starts another program on each
// such way.
func (l *Index) AlwaysStartsProgram(fn *types.Func) bool { return l.alwaysOf(fn)&program != 0 }

// alwaysOf is where a function leads on each way. One that calls itself leads nowhere by that.
func (l *Index) alwaysOf(fn *types.Func) lead {
	fn = fn.Origin()
	to, asked := l.always[fn]
	if body := l.code[fn]; !asked && body != nil && l.funcs[fn] != 0 {
		l.always[fn] = 0
		l.list(body.List, &to)
		to &= l.funcs[fn] // which leaves out programs that run nothing of anybody else's
		l.always[fn] = to
	}
	return to
}

// list adds where statements lead that are executed one after the other. It reports whether the
// function goes on behind them in any case, other than with an error.
func (l *Index) list(stmts []ast.Stmt, to *lead) (goesOn bool) {
	for _, s := range stmts {
		if !l.statement(s, to) {
			return false
		}
	}
	return true
}

func (l *Index) statement(s ast.Stmt, to *lead) (goesOn bool) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return l.list(s.List, to)
	case *ast.LabeledStmt:
		return l.statement(s.Stmt, to)
	case *ast.IfStmt:
		l.node(s.Init, to)
		l.node(s.Cond, to)
		return failed(s.Cond) && s.Else == nil || !leaves(s)
	case *ast.ForStmt:
		l.node(s.Init, to)
		if s.Cond != nil {
			l.node(s.Cond, to)
			return !leaves(s.Body)
		}
		return l.list(s.Body.List, to) && !leaves(s.Body)
	case *ast.RangeStmt:
		l.node(s.X, to)
		return !leaves(s.Body)
	case *ast.SwitchStmt:
		l.node(s.Init, to)
		l.node(s.Tag, to)
		return !leaves(s.Body)
	case *ast.TypeSwitchStmt, *ast.SelectStmt:
		return !leaves(s)
	case *ast.GoStmt, *ast.DeferStmt:
		return true
	case *ast.ReturnStmt, *ast.BranchStmt:
		l.node(s, to)
		return false
	}
	l.node(s, to)
	return true
}

// node adds where a statement or an expression leads that is executed whole.
func (l *Index) node(n ast.Node, to *lead) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				l.node(n.X, to)
				return false
			}
		case *ast.Ident:
			switch obj := l.pass.TypesInfo.Uses[n].(type) {
			case *types.Var:
				if IsStdin(obj) {
					*to |= user
				}
			case *types.Func:
				switch {
				case obj.Pkg() == l.pass.Pkg:
					*to |= l.alwaysOf(obj)
				case IsStarter(obj):
					*to |= program
				case Scans(obj):
					*to |= user
				}
			}
		}
		return true
	})
}

// failed reports whether a condition says that something is not nil, as an error is.
func failed(cond ast.Expr) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ {
		return false
	}
	id, ok := ast.Unparen(b.Y).(*ast.Ident)
	return ok && id.Name == "nil"
}

// leaves reports whether a statement can end the function, or the loop around it.
func leaves(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.BranchStmt:
			found = true
		}
		return !found
	})
	return found
}
