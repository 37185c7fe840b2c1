package fixes

import (
	"go/ast"
	"strings"
	"unicode"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
)

// dropRemoval takes away the removal of a lock file:
//
//	lock.Unlock()
//	os.Remove(lockPath) // tidy up
//	~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
func (s *source) dropRemoval(r finding.DropRemoval) (*plan, error) {
	body := s.declaring(r.Call)
	if body == nil {
		return nil, refusal("the function that removes the file is not known")
	}
	sc := &handleScope{source: s, body: body, parents: parentsOf(body)}
	if err := sc.dropRemovalCall(r.Call); err != nil {
		return nil, err
	}
	if err := sc.dropUnused(); err != nil {
		return nil, err
	}
	return &plan{message: "Leave the lock file in place", edits: sc.edits}, nil
}

// declaring is the body of the declared function around a node.
func (s *source) declaring(n ast.Node) *ast.BlockStmt {
	for _, d := range s.file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && fd.Body.Pos() <= n.Pos() && n.End() <= fd.Body.End() {
			return fd.Body
		}
	}
	return nil
}

func (sc *handleScope) dropRemovalCall(call *ast.CallExpr) error {
	stmt := sc.statement(call)
	if ret, ok := stmt.(*ast.ReturnStmt); ok && len(ret.Results) == 1 && ast.Unparen(ret.Results[0]) == ast.Expr(call) {
		sc.edits = append(sc.edits, sc.replace(call.Pos(), call.End(), "nil"))
		return nil
	}
	if err := sc.dropRemove(call); err != nil {
		return err
	}
	sc.dropTalk(stmt)
	return nil
}

// dropTalk takes away the comments of a removal which is gone: within it, behind
// it, right above it, and above the lines that it ends where they explain it.
func (sc *handleScope) dropTalk(stmt ast.Stmt) {
	first := stmt
	for _, s := range sc.siblings(stmt) {
		if s.Pos() < stmt.Pos() && sc.together(s, stmt) {
			first = s
			break
		}
	}
	top := sc.lineStart(sc.offset(first.Pos()))
	for _, group := range sc.file.Comments {
		from, to := sc.offset(group.Pos()), sc.offset(group.End())
		above := sc.alone(from) && sc.nextLine(sc.lineEnd(to)) == top && from >= sc.offset(sc.body.Lbrace)
		own := first == stmt && !rewrite.Lasting(group.Text())
		switch {
		case !above:
		case own:
			sc.edits = append(sc.edits, edit{sc.lineStart(from), top, "", sc.tok})
		case rewrite.Removing.In(group.Text()):
			sc.edits = append(sc.edits, edit{sc.lineStart(sc.explains(group)), top, "", sc.tok})
		}
	}
	from, to := sc.offset(stmt.Pos()), sc.offset(stmt.End())
	behind := strings.TrimSpace(string(sc.text[to:sc.lineEnd(to)]))
	if sc.alone(from) && (behind == "" || strings.HasPrefix(behind, "//")) {
		sc.edits = append(sc.edits, edit{sc.lineStart(from), sc.nextLine(sc.lineEnd(to)), "", sc.tok})
	}
}

// explains is where the sentences of a comment begin that explain a removal: its
// last line if that begins a sentence of its own and no other line speaks of it.
func (sc *handleScope) explains(group *ast.CommentGroup) int {
	last := group.List[len(group.List)-1]
	for _, c := range group.List {
		if rewrite.Removing.In(c.Text) != (c == last) {
			return sc.offset(group.Pos())
		}
	}
	if words := strings.TrimSpace(strings.TrimPrefix(last.Text, "//")); words == "" || !unicode.IsUpper(rune(words[0])) {
		return sc.offset(group.Pos())
	}
	return sc.offset(last.Pos())
}

// together reports whether no blank line and no comment parts two statements of
// a list.
func (sc *handleScope) together(a, b ast.Stmt) bool {
	from, to := sc.offset(a.Pos()), sc.offset(b.Pos())
	for at := from; at < to; at = sc.nextLine(at) {
		if at > from && sc.blankBefore(at) {
			return false
		}
	}
	for _, group := range sc.file.Comments {
		if from < sc.offset(group.Pos()) && sc.offset(group.End()) < to && sc.alone(sc.offset(group.Pos())) {
			return false
		}
	}
	return true
}

// alone reports whether nothing but white space stands before an offset on its
// line.
func (s *source) alone(at int) bool {
	for _, b := range s.text[s.lineStart(at):at] {
		if b != ' ' && b != '\t' {
			return false
		}
	}
	return true
}
