package effects

import (
	"go/token"

	"github.com/lockvet/lockvet/internal/directive"
)

// CommentAt is the text of the comment on the line above a position, or behind it on
// its line.
func (p *Package) CommentAt(pos token.Pos) string {
	text, ok := p.comments[pos]
	if !ok {
		text = p.commentAt(pos)
		p.comments[pos] = text
	}
	return text
}

func (p *Package) commentAt(pos token.Pos) string {
	for _, f := range p.Pass.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return directive.Beside(p.Pass.Fset, f, pos)
		}
	}
	return ""
}
