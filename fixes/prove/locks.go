package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/internal/syntax"
)

// dropLocks takes away the calls that lock the handle and let go of it, each
// with the statements that look at its error.
func (sc *handleScope) dropLocks() error {
	for _, call := range sc.locks {
		stmts, err := sc.lockStmts(call)
		if err != nil {
			return err
		}
		for _, stmt := range stmts {
			sc.gone[stmt] = true
		}
	}
	for _, call := range sc.locks {
		if lit := sc.literal(call); lit != nil &&
			!slices.ContainsFunc(lit.Body.List, func(s ast.Stmt) bool { return !sc.gone[s] }) {
			return Refusal("a function literal does nothing but lock the file")
		}
	}
	for stmt := range sc.gone {
		sc.drop(stmt)
	}
	return nil
}

// lockStmts are the statements that a call which locks, or lets go, stands for:
// itself and the check of its error, which leaves the function or logs it.
func (sc *handleScope) lockStmts(call *ast.CallExpr) ([]ast.Stmt, error) {
	o := sc.outcome(call)
	if d, ok := o.stmt.(*ast.DeferStmt); ok && d.Call == call || o.dropped() || o.heads() && sc.logs(o.check) {
		return o.stmts(), nil
	}
	check, err := sc.lockCheck(call)
	if err == nil && syntax.IsDefine(o.stmt) && sc.usedAfter(o.err, check.End()) {
		err = Refusal("the error of the lock is used again")
	}
	return o.stmts(), err
}

// logs reports whether a check of an error does nothing but log it.
func (sc *handleScope) logs(check *ast.IfStmt) bool {
	return check.Else == nil && sc.isPure(check.Cond) && !slices.ContainsFunc(check.Body.List, func(s ast.Stmt) bool {
		c := syntax.PlainCall(s)
		return c == nil || !sc.pass.isQuiet(c) || sc.pass.endsProgram(c)
	})
}

// lockCheck is the if statement that leaves the function where the lock is not
// had:
//
//	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
//		return err
//	}
func (sc *handleScope) lockCheck(call *ast.CallExpr) (*ast.IfStmt, error) {
	o := sc.outcome(call)
	check := sc.leaving(o)
	if assign, ok := o.stmt.(*ast.AssignStmt); check == nil || ok && len(assign.Lhs) > 1 {
		return nil, Refusal("the error of the lock is not checked at once")
	}
	return check, nil
}

// usedAfter reports whether the body names the variable behind a place.
func (sc *handleScope) usedAfter(obj types.Object, pos token.Pos) bool {
	return syntax.Some(sc.body, func(id *ast.Ident) bool { return id.Pos() >= pos && sc.pass.Info.Uses[id] == obj })
}
