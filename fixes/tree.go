package fixes

import (
	"errors"
	"go/ast"
	"go/token"

	"github.com/lockvet/lockvet/fixes/rewrite"
)

// rewritten is the plan that makes changes of the declaration around a node. It fails
// where the code is laid out so that it would not come back as it is.
func (s *source) rewritten(message string, n ast.Node, ops ...rewrite.Op) (*plan, error) {
	edits, err := s.rewrite(n, ops)
	if err != nil {
		return nil, err
	}
	return &plan{message: message, edits: edits}, nil
}

// rewrite are the edits that make changes of the declaration around a node.
func (s *source) rewrite(n ast.Node, ops []rewrite.Op) ([]edit, error) {
	for _, d := range s.file.Decls {
		if d.Pos() > n.Pos() || n.End() > d.End() {
			continue
		}
		from, to := s.offset(d.Pos()), s.offset(d.End())
		if s.lineStart(from) != from || s.made != nil && !s.made.known(d) {
			break
		}
		tree, err := rewrite.Parse(string(s.text[from:to]), func(p token.Pos) int { return s.offset(p) - from })
		switch {
		case errors.Is(err, rewrite.ErrLines), errors.Is(err, rewrite.ErrLayout):
			return nil, refusal(err.Error())
		case err != nil:
			return nil, refusal("the function cannot be taken apart")
		}
		changes, err := tree.Apply(ops...)
		if err != nil {
			return nil, refusal(err.Error())
		}
		var edits []edit
		for _, c := range changes {
			edits = append(edits, edit{from + c.Start, from + c.End, s.endedText(c.New), s.tok})
		}
		return edits, nil
	}
	return nil, refusal("the function is not known")
}
