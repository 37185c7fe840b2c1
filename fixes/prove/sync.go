package prove

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/syntax"
)

// syncTemp puts the bytes of a temporary file on disk before it is closed and renamed:
//
//	if _, err := f.Write(data); err != nil {        if _, err := f.Write(data); err != nil {
//		f.Close()                                       f.Close()
//		return fmt.Errorf("write: %w", err)             return fmt.Errorf("write: %w", err)
//	}                                               }
//	                                                if err := f.Sync(); err != nil {
//	                                                        f.Close()
//	                                                        return fmt.Errorf("sync: %w", err)
//	                                                }
//	if err := f.Close(); err != nil {               if err := f.Close(); err != nil {
//
// Where that cannot be, the other end state is planned.
func (s *File) syncTemp(r finding.SyncTemp) (*Proof, error) {
	p, err := s.synced(r)
	return s.proveOr(p, err, r.Else)
}

func (s *File) synced(r finding.SyncTemp) (*Proof, error) {
	sc, err := s.newHandleScope(r.Body, r.Open)
	if err != nil {
		return nil, err
	}
	for sc.findWrappers() {
	}
	closing := sc.closing(r.Rename)
	if closing == nil || !sc.visible(closing.Pos()) {
		return nil, Refusal("the file is not closed by a statement of its own before it is renamed")
	}
	text := sc.syncChecked(closing)
	if text == "" {
		return nil, Refusal("the function does not say what it does where the file cannot be written")
	}
	sc.do(rewrite.Insert{Src: text, Before: closing, Above: true}) // what is said of closing stays with that
	return sc.plan("Sync the file before it is renamed")
}

// closing is the statement that closes the file on the way from the opening to the rename.
func (sc *handleScope) closing(rename *ast.CallExpr) ast.Stmt {
	for _, stmt := range sc.tail {
		if stmt.End() > rename.Pos() {
			break
		}
		head := ast.Node(stmt)
		switch s := stmt.(type) {
		case *ast.DeferStmt:
			continue
		case *ast.IfStmt:
			if s.Init == nil {
				continue
			}
			head = s.Init
		}
		if sc.closesIn(head) {
			return stmt
		}
	}
	return nil
}

// syncChecked syncs the file and does where that fails what the function does where it cannot
// write it, or not close it; it is empty where neither can be said there.
func (sc *handleScope) syncChecked(closing ast.Stmt) string {
	list := sc.siblings(closing)
	shuts := ""
	for _, stmt := range list[:indexOf(list, closing)] {
		for call := range syntax.Nodes[*ast.CallExpr](stmt) {
			if sc.isMethod(call, "Close") && syntax.PlainCall(sc.statement(call)) == call && sc.literal(call) == nil {
				shuts = sc.of(sc.statement(call)) + "\n"
			}
		}
	}
	var body []ast.Stmt
	var failure types.Object
	removes := false // where it cannot write, by more than can be said there
	for call := range syntax.Nodes[*ast.CallExpr](syntax.List(list)) {
		o := sc.outcome(call)
		switch {
		case !sc.fails(o) || indexOf(list, o.check) < 0:
		case !sc.sayable(o):
			removes = removes || call.Pos() < closing.Pos() && call != sc.open && sc.related(call) && sc.removesIn(o.check.Body)
		case sc.isMethod(call, "Close") && body == nil && o.stmt == closing:
			body, failure = o.check.Body.List, o.err
			if shuts == "" && !syntax.Some(sc.body, func(d *ast.DeferStmt) bool { return sc.closesIn(d) }) {
				shuts = sc.f.Name() + ".Close()\n"
			}
		case call.Pos() < closing.Pos() && call != sc.open && sc.related(call) && !sc.isMethod(call, "Chmod") &&
			!sc.isMethod(call, "Chown"):
			for _, behind := range list[indexOf(list, o.check)+1 : indexOf(list, closing)] {
				if slices.ContainsFunc(o.check.Body.List, func(s ast.Stmt) bool { return sc.of(s) == sc.of(behind) }) {
					return "" // it would be done again
				}
			}
			body, failure, shuts = o.check.Body.List, o.err, ""
		}
	}
	if body == nil || removes && !sc.removesIn(syntax.List(body)) {
		return "" // or the temporary file would be left behind
	}
	if sc.named && syntax.EndsInReturn(body) && syntax.Result(body[len(body)-1]) == nil {
		return "" // the result would have to be set
	}
	name := failure.Name()
	return "if " + name + " := " + sc.f.Name() + ".Sync(); " + name + " != nil {\n" + shuts +
		sc.between(body[0].Pos(), body[len(body)-1].End()) + "\n}"
}

// removesIn reports whether a file is removed in some code.
func (sc *handleScope) removesIn(n ast.Node) bool {
	return syntax.Some(n, func(call *ast.CallExpr) bool { return sc.pass.calls(call, "os", "Remove") })
}

// sayable reports whether what a check of an error does is to say so, tidy up and leave, maybe in
// another way for some errors, by names that mean the same outside of it.
func (sc *handleScope) sayable(o outcome) bool {
	check, list := o.check, o.check.Body.List
	_, jumps := list[len(list)-1].(*ast.BranchStmt)
	return !jumps && !slices.ContainsFunc(list[:len(list)-1],
		func(s ast.Stmt) bool { return syntax.PlainCall(s) == nil && !returnsIf(s) }) &&
		syntax.Every(check.Body, func(id *ast.Ident) bool {
			obj := sc.pass.object(id)
			return obj == nil || obj == o.err || obj.Pos() < check.Pos() || check.End() < obj.Pos()
		})
}

// returnsIf reports whether all that a statement does is to return results, if something holds.
func returnsIf(s ast.Stmt) bool {
	check, ok := s.(*ast.IfStmt)
	if !ok || check.Init != nil || check.Else != nil || len(check.Body.List) != 1 {
		return false
	}
	ret, ok := check.Body.List[0].(*ast.ReturnStmt)
	return ok && len(ret.Results) > 0
}
