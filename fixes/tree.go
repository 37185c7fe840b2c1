package fixes

import (
	"errors"
	"go/ast"

	"github.com/dave/dst"

	"github.com/lockvet/lockvet/fixes/rewrite"
)

// A tree is the declaration of a function, to be changed.
type tree struct {
	*rewrite.Tree
	s    *source
	from int // where the declaration begins in the text
}

// tree takes the declaration apart that a node stands in. It fails where the code is
// laid out so that it would not come back as it is.
func (s *source) tree(n ast.Node) (*tree, error) {
	for _, d := range s.file.Decls {
		if d.Pos() > n.Pos() || n.End() > d.End() {
			continue
		}
		from, to := s.offset(d.Pos()), s.offset(d.End())
		if s.lineStart(from) != from || s.made != nil && !s.made.known(d) {
			break
		}
		t, err := rewrite.Parse(string(s.text[from:to]))
		switch {
		case errors.Is(err, rewrite.ErrLines), errors.Is(err, rewrite.ErrLayout):
			return nil, refusal(err.Error())
		case err != nil:
			return nil, refusal("the function cannot be taken apart")
		}
		return &tree{t, s, from}, nil
	}
	return nil, refusal("the function is not known")
}

// node is the node of the tree that stands for one of the file.
func (t *tree) node(n ast.Node) dst.Node {
	return t.Node(t.s.offset(n.Pos())-t.from, t.s.offset(n.End())-t.from, n)
}

// stmt is the statement of the tree that stands for one of the file.
func (t *tree) stmt(s ast.Stmt) dst.Stmt { return t.node(s).(dst.Stmt) }

// stmts are the statements of the tree that stand for those of the file.
func (t *tree) stmts(list []ast.Stmt) []dst.Stmt {
	var out []dst.Stmt
	for _, s := range list {
		out = append(out, t.stmt(s))
	}
	return out
}

// edits are those of the file that make the declaration what the tree is.
func (t *tree) edits() ([]edit, error) {
	changes, err := t.Edits()
	if err != nil {
		return nil, refusal(err.Error())
	}
	var edits []edit
	for _, c := range changes {
		edits = append(edits, edit{t.from + c.Start, t.from + c.End, c.New, t.s.tok})
	}
	return edits, nil
}
