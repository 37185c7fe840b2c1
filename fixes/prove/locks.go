package prove

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
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
		if lit := sc.literal(call); lit != nil && !slices.ContainsFunc(lit.Body.List, func(s ast.Stmt) bool { return !sc.gone[s] }) {
			return Refusal("a function literal does nothing but lock the file")
		}
	}
	for stmt := range sc.gone {
		sc.do(rewrite.Drop{Stmt: stmt, Gone: rewrite.About(rewrite.Replacing, rewrite.Locking)})
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
	if err == nil && isDefine(o.stmt) && sc.usedAfter(o.err, check.End()) {
		err = Refusal("the error of the lock is used again")
	}
	return o.stmts(), err
}

// logs reports whether a check of an error does nothing but log it.
func (sc *handleScope) logs(check *ast.IfStmt) bool {
	return check.Else == nil && sc.isPure(check.Cond) && !slices.ContainsFunc(check.Body.List, func(s ast.Stmt) bool {
		c := plainCall(s)
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
	return some(sc.body, func(id *ast.Ident) bool { return id.Pos() >= pos && sc.pass.Info.Uses[id] == obj })
}

// cutLocked turns
//
//	f, err := os.Create(path)       f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
//	if err != nil {                 if err != nil {
//		return nil, err                 return nil, err
//	}                               }
//	if err := lock(f); err != nil { if err := lock(f); err != nil {
//		f.Close()                       f.Close()
//		return nil, err                 return nil, err
//	}                               }
//	                                if err := f.Truncate(0); err != nil {
//	                                        f.Close()
//	                                        return nil, err
//	                                }
func (s *File) cutLocked(r finding.CutLocked) (*Proof, error) {
	open, err := s.openWhole(r.Open)
	if err != nil {
		return nil, err
	}
	if r.Lock == nil {
		return s.scope(r.Body).plan("Open the file as it is", open...)
	}
	sc, err := s.newHandleScope(r.Body, r.Open)
	if err != nil {
		return nil, err
	}
	sc.do(open...)
	check, err := sc.lockCheck(r.Lock)
	if err != nil {
		return nil, err
	}
	if !sc.visible(check.End()) {
		return nil, refusef("another %s hides the handle at its lock", sc.f.Name())
	}
	fail := sc.failText()
	for _, stmt := range check.Body.List {
		if call := plainCall(stmt); call != nil && sc.isMethod(call, "Close") {
			fail = sc.of(stmt) + "\n\t" + fail
		}
	}
	sc.after(check, unless(sc.f.Name()+".Truncate(0)", fail))
	return sc.plan("Empty the file under the lock")
}

// openWhole takes the truncation out of a call that opens a file.
func (s *File) openWhole(call *ast.CallExpr) ([]rewrite.Op, error) {
	if s.pass.calls(call, "os", "Create") {
		os := strings.TrimSuffix(s.of(call.Fun), "Create")
		return []rewrite.Op{rewrite.Put{
			Expr: call, Src: os + "OpenFile(" + rewrite.Carried + ", " + os + "O_RDWR|" + os + "O_CREATE, 0o666)", Carry: call.Args[0],
		}}, nil
	}
	if !s.pass.calls(call, "os", "OpenFile") || len(call.Args) != 3 {
		return nil, Refusal("the file is not opened by os.Create or os.OpenFile")
	}
	var found rewrite.Op
	for or := range nodes[*ast.BinaryExpr](call.Args[1]) {
		switch {
		case or.Op != token.OR:
		case s.isTrunc(or.X):
			found = rewrite.Put{Expr: or, Src: s.of(or.Y)}
		case s.isTrunc(or.Y):
			found = rewrite.Put{Expr: or, Src: s.of(or.X)}
		}
	}
	if found == nil {
		return nil, Refusal("the flags of os.OpenFile are not written out")
	}
	return []rewrite.Op{found}, nil
}

// isTrunc reports whether an expression is the flag O_TRUNC.
func (s *File) isTrunc(e ast.Expr) bool {
	obj := s.pass.object(e)
	if sel, ok := e.(*ast.SelectorExpr); ok {
		obj = s.pass.Info.Uses[sel.Sel]
	}
	return obj != nil && obj.Pkg() != nil && obj.Name() == "O_TRUNC" && (obj.Pkg().Path() == "os" || obj.Pkg().Path() == "syscall")
}
