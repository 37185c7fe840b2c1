package analyzer

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pattern"
)

// nolint matches comments by which golangci-lint drops what is reported on their
// lines: those that name lockvet, and those that name all linters or none.
var nolint = pattern.New(`(?i)^[/ ]*nolint(?: |$|:(?:[\w ,-]*,)?\s*(?:all|lockvet)\b)`)

// A stretch is a run of lines that such a comment speaks of.
type stretch struct{ from, to int }

// nolintStretches are the lines of a file that nolint comments speak of: their
// own, and those of what begins below one in the same column.
func nolintStretches(fset *token.FileSet, f *ast.File) []stretch {
	var list []stretch
	below := map[token.Position]int{} // by line and column, the stretch that goes on there
	for _, group := range f.Comments {
		if !slices.ContainsFunc(group.List, func(c *ast.Comment) bool { return nolint.MatchString(c.Text) }) {
			continue
		}
		at, end := fset.Position(group.Pos()), fset.Position(group.End())
		below[token.Position{Line: end.Line + 1, Column: at.Column}] = len(list)
		list = append(list, stretch{at.Line, end.Line})
	}
	if len(list) == 0 {
		return nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		at := fset.Position(n.Pos())
		if i, ok := below[token.Position{Line: at.Line, Column: at.Column}]; ok {
			list[i].to = max(list[i].to, fset.Position(n.End()).Line)
		}
		return true
	})
	return list
}

// keepNolint takes the remedy from findings that golangci-lint is told to drop.
// They are reported all the same, since it is golangci-lint that counts them, but
// no fix changes their lines: neither their own nor one that they would share.
func keepNolint(fset *token.FileSet, files []*ast.File, all []*finding.Finding) {
	for _, file := range files {
		inside := func(f *finding.Finding) bool { return file.FileStart <= f.Pos && f.Pos < file.FileEnd }
		if !slices.ContainsFunc(all, inside) {
			continue
		}
		stretches := nolintStretches(fset, file)
		for _, f := range all {
			line := fset.Position(f.Pos).Line
			if f.Remedy != nil && inside(f) && slices.ContainsFunc(stretches, func(s stretch) bool { return s.from <= line && line <= s.to }) {
				f.Remedy, f.NoFix = nil, "the line has a nolint comment"
			}
		}
	}
}
