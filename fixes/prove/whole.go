package prove

import (
	"go/ast"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/syntax"
)

// collapseWhole turns a temporary file that gets all its bytes by one write
//
//	f, err := os.CreateTemp(filepath.Dir(path), "x")
//	if err != nil {
//		return err
//	}
//	if _, err := f.Write(data); err != nil {
//		f.Close()
//		return err
//	}
//	if err := f.Close(); err != nil {
//		return err
//	}
//	return os.Rename(f.Name(), path)
//
// into
//
//	return safeio.WriteFile(path, data, 0o600)
func (s *File) collapseWhole(r finding.CollapseTemp, t temp) (*Proof, error) {
	sc, err := s.newHandleScope(r.Body, r.Open)
	if err != nil {
		return nil, err
	}
	sc.temp = &t
	if err := inOrder(sc.findTemp, sc.reachable); err != nil {
		return nil, err
	}
	write, plain, checked, err := sc.soleWrite()
	if err != nil {
		return nil, err
	}
	open := sc.statement(sc.open)
	t.write, t.perm = write, sc.mode(sc.open)
	sc.drop(open)
	if err := sc.scanTemp(); err != nil {
		return nil, err
	}
	for _, call := range append(plain, checked...) { // the first stand in the checks of the others, too
		if err := sc.dropStep(call); err != nil {
			return nil, err
		}
	}
	if !sc.bailsOut(sc.check.Body.List) {
		return nil, Refusal("the function has another way when the file cannot be opened")
	}
	sc.drop(sc.check)
	stmt := sc.statement(write)
	if indexOf(sc.siblings(stmt), open) < 0 {
		return nil, Refusal("the write and the rename do not follow each other")
	}
	sc.open = write
	if err := sc.mergeWrite(); err != nil {
		return nil, err
	}
	declared := sc.pass.Info.Defs[open.(*ast.AssignStmt).Lhs[1].(*ast.Ident)]
	for id := range sc.pass.usesOf(sc.body, declared) {
		if declared != nil && !sc.changed(id) {
			return nil, refusef("%s is used again", id.Name)
		}
	}
	if err := sc.dropUnused(); err != nil {
		return nil, err
	}
	sc.open = r.Open
	return sc.collapsed(sc.writerAt(sc.body.Pos()), stmt)
}

// soleWrite is the only call that writes through the handle, of all bytes that are at hand; and
// the calls that only close the file or put it on disk, those whose error is dropped apart.
func (sc *handleScope) soleWrite() (write *ast.CallExpr, plain, checked []*ast.CallExpr, err error) {
	for id := range sc.pass.usesOf(sc.body, sc.f) {
		call, _ := sc.parents[sc.parents[id]].(*ast.CallExpr)
		switch {
		case call == nil || call.Fun != sc.parents[id]:
			err = Refusal("the handle is used for more than its methods")
		case !sc.runsAtEnd(call):
			err = Refusal("the handle is used in a function literal")
		case sc.isMethod(call, "Close"), sc.isMethod(call, "Sync"):
			if syntax.PlainCall(sc.statement(call)) != nil {
				plain = append(plain, call)
			} else {
				checked = append(checked, call)
			}
		case sc.isMethod(call, "Write") && write == nil && sc.literal(call) == nil &&
			syntax.PlainCall(sc.statement(call)) == nil:
			write = call
		case !sc.isMethod(call, "Name"):
			err = Refusal("the file is not written by one call")
		}
		if err != nil {
			break
		}
	}
	if err == nil && write == nil {
		err = Refusal("the file is not written by one call")
	}
	return write, plain, checked, err
}

// runsAtEnd reports whether a node stands in no function literal but one that is deferred.
func (sc *handleScope) runsAtEnd(n ast.Node) bool {
	lit := sc.literal(n)
	if lit == nil {
		return true
	}
	call, _ := sc.parents[lit].(*ast.CallExpr)
	d, deferred := sc.parents[call].(*ast.DeferStmt)
	return deferred && d.Call.Fun == ast.Expr(lit)
}

// dropStep takes a call away that closes the file or puts it on disk, with what gives up where it
// fails.
func (sc *handleScope) dropStep(call *ast.CallExpr) error {
	stmts, err := sc.lockStmts(call)
	if err != nil {
		return Refusal("the error of Close is not checked at once")
	}
	for _, stmt := range stmts {
		if check, ok := stmt.(*ast.IfStmt); ok && !sc.bailsOut(check.Body.List) {
			return Refusal("the function has another way when the file cannot be closed")
		}
		if !sc.changed(stmt) {
			sc.drop(stmt)
			sc.dropEmpty(stmt)
		}
	}
	return nil
}

// mode is the mode with which the call that opens the file makes it.
func (sc *handleScope) mode(open *ast.CallExpr) string {
	switch {
	case sc.pass.calls(open, "os", "Create"):
		return sc.octal("0o666")
	case sc.pass.calls(open, "os", "OpenFile"):
		return sc.of(open.Args[2])
	}
	return sc.octal("0o600")
}
