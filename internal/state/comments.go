package state

import (
	"go/token"

	"github.com/lockvet/lockvet/internal/directive"
)

// CommentAt is the text of the comment on the line above a position, or behind it on
// its line.
func (x *Index) CommentAt(pos token.Pos) string {
	text, ok := x.comments[pos]
	if !ok {
		text = x.commentAt(pos)
		x.comments[pos] = text
	}
	return text
}

func (x *Index) commentAt(pos token.Pos) string {
	if f := x.fileAt(pos); f != nil {
		return directive.Beside(x.p.Pass.Fset, f, pos)
	}
	return ""
}
