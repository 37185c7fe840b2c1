package prove

import (
	"go/ast"
	"slices"
	"strings"
	"unicode"

	"github.com/lockvet/lockvet/fixes/rewrite"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/remark"
)

// dropRemoval takes away the removal of a lock file:
//
//	lock.Unlock()
//	os.Remove(lockPath) // tidy up
//	~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
func (s *File) dropRemoval(r finding.DropRemoval) (*Proof, error) {
	body := s.declaring(r.Call)
	if body == nil {
		return nil, Refusal("the function that removes the file is not known")
	}
	sc := s.scope(body)
	if err := inOrder(func() error { return sc.dropRemovalCall(r.Call) }, sc.dropUnused); err != nil {
		return nil, err
	}
	p, err := sc.plan("Leave the lock file in place")
	if err != nil {
		return nil, err
	}
	p.Leaves = true
	return p, sc.untell(p, r.Call)
}

// untell takes the removal out of the comment on the function, and fails where that says more of
// it than what is done besides.
func (s *File) untell(p *Proof, call *ast.CallExpr) error {
	decl := s.declaringAt(call.Pos(), call.End())
	if decl.Doc == nil {
		return nil
	}
	for _, c := range decl.Doc.List {
		if text := lexicon.RemovesBesides.ReplaceAllString(c.Text, "$end"); text != c.Text {
			p.swaps = append(p.swaps, rewrite.Edit{Start: s.offset(c.Pos()), End: s.offset(c.End()), New: text})
			return nil
		}
	}
	if lexicon.RemovesLock.MatchString(decl.Doc.Text()) {
		return refusef("the comment on %s tells that it removes the file; what it promises only its author can change", decl.Name.Name)
	}
	return nil
}

func (sc *handleScope) dropRemovalCall(call *ast.CallExpr) error {
	stmt := sc.statement(call)
	if ret, ok := stmt.(*ast.ReturnStmt); ok && len(ret.Results) == 1 && ast.Unparen(ret.Results[0]) == ast.Expr(call) {
		sc.put(call, "nil")
		return nil
	}
	sc.dropTalk(stmt)
	return sc.dropRemove(call)
}

// dropTalk takes a removal away with its comments: within it, behind it, right above it,
// and above the lines that it ends where they explain it.
func (sc *handleScope) dropTalk(stmt ast.Stmt) {
	sc.do(rewrite.Drop{Stmt: stmt, Gone: func(comment string) bool { return !remark.Lasting(comment) }})
	for _, s := range sc.siblings(stmt) {
		if s.Pos() < stmt.Pos() && sc.together(s, stmt) {
			sc.do(rewrite.Hush{Above: s, Keep: unexplained})
			return
		}
	}
}

// unexplained are the lines of a comment without those that explain a removal: the last
// one if that begins a sentence of its own and no other line speaks of it, or else all.
func unexplained(lines []string) []string {
	speaks := func(line string) bool { return remark.Removing.In(line) }
	last := len(lines) - 1
	switch words := strings.TrimSpace(strings.TrimPrefix(lines[last], "//")); {
	case !slices.ContainsFunc(lines, speaks):
		return lines
	case slices.ContainsFunc(lines[:last], speaks) || words == "" || !unicode.IsUpper(rune(words[0])):
		return nil
	}
	return lines[:last]
}

// together reports whether no blank line and no comment parts two statements of
// a list.
func (sc *handleScope) together(a, b ast.Stmt) bool {
	list := sc.siblings(a)
	for i := indexOf(list, a); list[i] != b; i++ {
		if sc.parted(list[i], list[i+1]) {
			return false
		}
	}
	return !slices.ContainsFunc(sc.file.Comments, func(group *ast.CommentGroup) bool {
		return a.Pos() < group.Pos() && group.End() < b.Pos() && sc.alone(group.Pos())
	})
}
