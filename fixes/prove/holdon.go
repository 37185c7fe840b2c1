package prove

import (
	"go/ast"
	"slices"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pattern"
)

// holdOn turns
//
//	s.mu.Lock()                      s.mu.Lock()
//	s.items[key] = value             defer s.mu.Unlock()
//	data, err := json.Marshal(s)     s.items[key] = value
//	s.mu.Unlock()                    data, err := json.Marshal(s)
//	if err != nil {                  if err != nil {
//		return err                       return err
//	}                                }
//	return write(s.path, data)       return write(s.path, data)
//
// A comment at an unlock, or one that speaks of it, says why the lock is let go of
// there: then there is no such edit.
func (s *File) holdOn(r finding.HoldOn) (*Proof, error) {
	sc := s.scope(r.Body)
	lock := sc.statement(r.Lock)
	if plainCall(lock) != r.Lock || indexOf(r.Body.List, lock) < 0 {
		return nil, Refusal("the lock is not taken by a statement of its own in the body of the function")
	}
	if sc.meant() {
		return nil, Refusal("a comment says that the file is written without the lock")
	}
	var gone []ast.Stmt
	for _, call := range r.Unlocks {
		stmt := sc.statement(call)
		list := sc.siblings(stmt)
		switch {
		case s.receiverText(call) == "" || s.receiverText(call) != s.receiverText(r.Lock):
			return nil, Refusal("the lock has another name where it is released")
		case plainCall(stmt) != call || list == nil:
			return nil, Refusal("the lock is not released by a statement of its own")
		case sc.explained(stmt):
			return nil, Refusal("a comment says why the lock is released before the file is written")
		case len(list) == 1:
			return nil, Refusal("nothing would be left of the block in which the lock is released")
		}
		gone = append(gone, stmt)
	}
	ops := []rewrite.Op{rewrite.Insert{Behind: lock, Src: "defer " + s.of(r.Unlocks[0])}}
	for _, stmt := range gone {
		ops = append(ops, rewrite.Drop{Stmt: stmt})
	}
	return sc.plan("Hold the lock until the file is written", ops...)
}

// explained reports whether a comment stands on the line of a statement or right
// above it.
func (sc *handleScope) explained(stmt ast.Stmt) bool {
	return sc.commentAbove(stmt) != nil || slices.ContainsFunc(sc.file.Comments, func(g *ast.CommentGroup) bool {
		return stmt.Pos() < g.Pos() && sc.line(g.Pos()) <= sc.line(stmt.End())
	})
}

// meant reports whether a comment of the function, or on it, says that the lock is
// not held for long.
func (sc *handleScope) meant() bool {
	from := sc.body.Pos()
	for _, d := range sc.file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body == sc.body && fd.Doc != nil {
			from = fd.Doc.Pos()
		}
	}
	return slices.ContainsFunc(sc.file.Comments, func(g *ast.CommentGroup) bool {
		return from <= g.Pos() && g.End() <= sc.body.End() && lettingUp.MatchString(g.Text())
	})
}

// lettingUp are the words of comments that explain an early unlock.
var lettingUp = pattern.New(`(?i)\bunlock|\boutside\b|\b(without|releas\w*|drop\w*|off)\b[^.]*\b(lock|mu|mutex)\b|\bI/O\b`)

// receiverText is the text of what a method is called on.
func (s *File) receiverText(call *ast.CallExpr) string {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	return s.of(sel.X)
}
