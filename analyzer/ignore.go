package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/finding"
)

// ignoreDirective begins a comment that answers for what is reported on its
// line, or on the line below if it has a line of its own:
//
//	//lockvet:ignore tornwrite the index is rebuilt when it cannot be read
const ignoreDirective = "//lockvet:ignore"

// An ignore is one such comment.
type ignore struct {
	pos    token.Pos
	checks []string // names of checks, or categories
	reason string
}

// covers reports whether the directive names the finding's check or category.
func (d ignore) covers(f *finding.Finding) bool {
	return slices.Contains(d.checks, f.Check) || slices.Contains(d.checks, f.Category())
}

// A place is a line of a file.
type place struct {
	file string
	line int
}

// ignores collects the directives of the files by the line that they speak of.
func ignores(fset *token.FileSet, files []*ast.File) map[place]ignore {
	found := map[place]ignore{}
	for _, f := range files {
		code := map[int]bool{}
		for _, group := range f.Comments {
			for _, c := range group.List {
				rest, ok := strings.CutPrefix(c.Text, ignoreDirective)
				if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
					continue
				}
				if len(code) == 0 {
					code = codeLines(fset, f)
				}
				at := fset.Position(c.Pos())
				line := at.Line
				if !code[line] {
					line = fset.Position(group.End()).Line + 1
				}
				found[place{at.Filename, line}] = parseIgnore(c.Pos(), rest)
			}
		}
	}
	return found
}

func parseIgnore(pos token.Pos, text string) ignore {
	checks, reason, _ := strings.Cut(strings.TrimSpace(text), " ")
	return ignore{pos: pos, checks: strings.Split(checks, ","), reason: strings.TrimSpace(reason)}
}

// codeLines are the lines on which something other than a comment begins or ends.
func codeLines(fset *token.FileSet, f *ast.File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.File, *ast.Comment, *ast.CommentGroup:
			return true
		}
		lines[fset.Position(n.Pos()).Line] = true
		lines[fset.Position(n.End()).Line] = true
		return true
	})
	return lines
}

// heeded drops the findings that a directive answers for. One without a reason
// answers for nothing, and the finding says so.
func heeded(fset *token.FileSet, files []*ast.File, all []*finding.Finding) []*finding.Finding {
	if len(all) == 0 {
		return all
	}
	directives := ignores(fset, files)
	return slices.DeleteFunc(all, func(f *finding.Finding) bool {
		at := fset.Position(f.Pos)
		d, ok := directives[place{at.Filename, at.Line}]
		switch {
		case !ok || !d.covers(f):
			return false
		case d.reason == "":
			f.Sentence += fmt.Sprintf(" (the directive on line %d gives no reason and is not heeded)", fset.Position(d.pos).Line)
			return false
		}
		return true
	})
}
