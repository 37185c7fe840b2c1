package prove

import (
	"go/ast"
	"go/token"

	"github.com/lockvet/lockvet/internal/syntax"
)

// dropIdle takes away calls that have no purpose for a file which is replaced: those that lock the handle and let go of
// it, and the one that empties it, each with the check of its error, which leaves the function:
//
//	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
//		return err
//	}
func (sc *handleScope) dropIdle() error {
	for _, call := range sc.idle {
		o := sc.outcome(call)
		d, deferred := o.stmt.(*ast.DeferStmt)
		if !o.dropped() && !(deferred && d.Call == call) {
			assign, assigned := o.stmt.(*ast.AssignStmt)
			check := sc.leaving(o)
			after := func(id *ast.Ident) bool { return id.Pos() >= check.End() && sc.pass.Info.Uses[id] == o.err }
			if check == nil || assigned && (len(assign.Lhs) > 1 || assign.Tok == token.DEFINE && syntax.Some(sc.body, after)) {
				return refusef("the error of %s is not checked at once, and for nothing else", sc.of(call.Fun))
			}
		}
		if sc.literal(call) != nil {
			return refusef("a function literal calls %s", sc.of(call.Fun))
		}
		for _, stmt := range o.stmts() {
			sc.drop(stmt)
		}
	}
	return nil
}
