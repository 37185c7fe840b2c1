package prove

import (
	"go/ast"
	"go/constant"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/syntax"
)

// replaceContent turns
//
//	data, err := io.ReadAll(f)                       data, err := io.ReadAll(f)
//	…                                                …
//	if err := f.Truncate(0); err != nil {            if err := f.Close(); err != nil {
//		return err                                       return err
//	}                                                }
//	if _, err := f.Seek(0, io.SeekStart); …
//	if _, err := f.Write(data); err != nil {         if err := safeio.WriteFile(path, data, 0o600); err != nil {
//		return err                                       return err
//	}                                                }
//
// The handle must do nothing else: who locks it, or keeps it, relies on that file. It is closed before, as Windows
// replaces no file that is open.
func (s *File) replaceContent(r finding.ReplaceContent) (*Proof, error) {
	open, err := s.openingOf(r)
	if err != nil {
		return nil, err
	}
	sc, err := s.newHandleScope(r.Body, open)
	if err != nil {
		return nil, err
	}
	sc.path = open.Args[0]
	write, moves, err := sc.contentUses(r.Truncate)
	switch {
	case err != nil:
		return nil, err
	case write == nil || indexOf(sc.rest(sc.statement(r.Truncate)), sc.statement(write)) < 0:
		return nil, Refusal("the new content is not written by one call behind the truncation")
	}
	if err := inOrder(
		func() error { return sc.goesOn(r.Truncate, write) },
		func() error { return sc.samePath(write) },
		func() error { return sc.dropMoves(moves) },
	); err != nil {
		return nil, err
	}
	writer, content := sc.writerAt(write.Pos()), rewrite.Carried
	if sc.isMethod(write, "WriteString") {
		content = "[]byte(" + content + ")"
	}
	switch stmt := sc.parents[write].(type) {
	case *ast.ExprStmt:
	case *ast.AssignStmt:
		if id, ok := stmt.Lhs[0].(*ast.Ident); !ok || id.Name != "_" {
			return nil, refusef("the length that %s returns is used", sc.of(write.Fun))
		}
		sc.do(rewrite.DropLeft{Assign: stmt, Index: 0})
	default:
		return nil, refusef("it is not certain what becomes of the error of %s", sc.of(write.Fun))
	}
	mode := sc.of(open.Args[2])
	if tv := s.pass.Info.Types[open.Args[2]]; tv.Value != nil && constant.Sign(constant.ToInt(tv.Value)) == 0 {
		mode = s.octal("0o600") // the file is there, and keeps its own
	}
	sc.put(r.Truncate, sc.f.Name()+".Close()")
	sc.wrap(write, writer+"("+sc.of(sc.path)+", "+content+", "+mode+")", write.Args[0])
	return sc.plan("Replace the file with " + writer)
}

// openingOf is the call of os.OpenFile that opens what is truncated.
func (s *File) openingOf(r finding.ReplaceContent) (*ast.CallExpr, error) {
	sc := s.scope(r.Body)
	f := sc.receiver(r.Truncate)
	for a := range syntax.Nodes[*ast.AssignStmt](r.Body) {
		if call := syntax.SoleCall(a); call != nil && f != nil && sc.pass.object(a.Lhs[0]) == f && sc.pass.calls(call, "os", "OpenFile") {
			return call, nil
		}
	}
	return nil, refusef("the file that is truncated was opened for more than this write: it is not opened in the function, "+
		"which has %s at %s", s.of(r.Truncate.Fun), s.place(r.Truncate))
}

// contentUses are the call that writes the new content, and those behind the last that reads the old one which move in
// the file or put it on disk.
func (sc *handleScope) contentUses(cut *ast.CallExpr) (write *ast.CallExpr, moves []*ast.CallExpr, err error) {
	for id := range sc.pass.usesOf(sc.body, sc.f) {
		call, _ := sc.parents[id].(*ast.CallExpr)
		if sel, ok := sc.parents[id].(*ast.SelectorExpr); ok {
			call, _ = sc.parents[sel].(*ast.CallExpr)
		}
		reads := call != nil && sc.readsFrom(call) && call.Pos() < cut.Pos()
		switch {
		case call != nil && sc.isName(call):
		case call == cut:
		case reads && !sc.isMethod(call, "Seek"):
			moves = nil
		case call != nil && (sc.isMethod(call, "Seek") && sc.toStart(call) || sc.isMethod(call, "Sync")):
			moves = append(moves, call)
		case call != nil && sc.isMethod(call, "Close") && (sc.failsAfter(call) || sc.runsDeferred(call) && sc.outcomeDropped(call)):
		case write == nil && call != nil && call.Pos() > cut.Pos() && (sc.isMethod(call, "Write") || sc.isMethod(call, "WriteString")):
			write = call
		default:
			return nil, nil, refusef("the file that is truncated was opened for more than this write: %s at %s is in the way",
				sc.of(sc.parents[id]), sc.place(id))
		}
	}
	return write, moves, nil
}

// goesOn proves that the function does not end between the truncation and the write but where one of them, or a move in
// the file, fails: it would leave an empty file, and with the fix the old one.
func (sc *handleScope) goesOn(cut, write *ast.CallExpr) error {
	list := sc.rest(sc.statement(cut))
	for _, stmt := range list[:indexOf(list, sc.statement(write))] {
		for n := range ast.Preorder(stmt) {
			switch n.(type) {
			case *ast.ReturnStmt, *ast.BranchStmt:
				if check, ok := sc.enclosingIf(n); !ok || !sc.pass.someVar(check.Cond, func(v *types.Var) bool { return isError(v.Type()) }) {
					return Refusal("the function can end between the truncation and the write")
				}
			}
		}
	}
	return nil
}

// enclosingIf is the innermost if statement around a node.
func (sc *handleScope) enclosingIf(n ast.Node) (*ast.IfStmt, bool) {
	for ; n != nil; n = sc.parents[n] {
		if check, ok := n.(*ast.IfStmt); ok {
			return check, true
		}
	}
	return nil, false
}

// toStart reports whether a call moves to the beginning of the file.
func (sc *handleScope) toStart(seek *ast.CallExpr) bool {
	return len(seek.Args) == 2 && !slices.ContainsFunc(seek.Args, func(a ast.Expr) bool {
		v := sc.pass.Info.Types[a].Value
		return v == nil || constant.Sign(constant.ToInt(v)) != 0
	})
}

// outcomeDropped reports whether the error of a deferred call is ignored: it would be that the file is closed.
func (sc *handleScope) outcomeDropped(call *ast.CallExpr) bool {
	switch stmt := sc.parents[call].(type) {
	case *ast.DeferStmt, *ast.ExprStmt:
		return true
	case *ast.AssignStmt:
		id, ok := stmt.Lhs[0].(*ast.Ident)
		return ok && id.Name == "_"
	}
	return false
}

// runsDeferred reports whether a call is deferred, or stands in a literal that is.
func (sc *handleScope) runsDeferred(call *ast.CallExpr) bool {
	_, deferred := sc.parents[call].(*ast.DeferStmt)
	return deferred || sc.literal(call) != nil && sc.runsAtEnd(call)
}

// readsFrom reports whether a call does no more with the handle than to read, to move in it, or to ask for what it is.
func (sc *handleScope) readsFrom(call *ast.CallExpr) bool {
	row, ok := known.Lookup(sc.pass.callee(call))
	return ok && slices.Contains([]known.Op{known.Read, known.ReadAll, known.Wrap, known.DecodeFrom, known.Seek}, row.Op)
}

// samePath proves that the path of the file means at the write what it means at the opening.
func (sc *handleScope) samePath(write *ast.CallExpr) error {
	if !sc.isPure(sc.path) || !sc.sees(write.Pos(), sc.path) || sc.pass.someVar(sc.path, func(v *types.Var) bool {
		return !v.IsField() && sc.assigned(v, sc.open.Pos(), write.Pos())
	}) {
		return Refusal("the path of the file is another one where it is written")
	}
	return nil
}

// dropMoves takes calls away with the checks of their errors.
func (sc *handleScope) dropMoves(calls []*ast.CallExpr) error {
	for _, call := range calls {
		if err := sc.dropStep(call); err != nil {
			return err
		}
	}
	return nil
}

// place is where a node stands, as messages say it.
func (s *File) place(n ast.Node) string {
	at := s.pass.Fset.Position(n.Pos())
	return filepath.Base(at.Filename) + ":" + strconv.Itoa(at.Line)
}
