// Package directive reads the comments by which a program speaks to lockvet. It
// knows how they and others are written, what they stand at, and what is said to gosec. It
// knows nothing of findings.
package directive

import (
	"go/ast"
	"go/token"
	"iter"
	"slices"
	"strings"
)

// prefix begins every directive. As for those of Go, no blank follows the
// slashes.
const prefix = "//lockvet:"

// The words that follow the prefix.
const (
	// Ignore answers for what is reported on its line, or on the line below if it
	// has a line of its own: //lockvet:ignore CHECK[,CHECK] REASON.
	Ignore = "ignore"
	// State says that the path of a field, constant, variable or function holds
	// state: //lockvet:state [REMARK].
	State = "state"
)

// Words lists the directives that there are.
func Words() []string { return []string{Ignore, State} }

// A Directive is one such comment.
type Directive struct {
	// Word is the directive, Text what follows it.
	Word, Text string
	// Comment is the comment itself and Group the one that it stands in.
	Comment *ast.Comment
	Group   *ast.CommentGroup
}

// In lists the directives of a file, in source order.
func In(f *ast.File) []Directive { return written(f, prefix) }

// Spaced lists the comments of a file that would be directives if no blank followed
// the slashes.
func Spaced(f *ast.File) []Directive {
	return slices.DeleteFunc(written(f, "// lockvet:"), func(d Directive) bool { return !slices.Contains(Words(), d.Word) })
}

// written lists the comments that begin with a prefix as directives.
func written(f *ast.File, prefix string) []Directive {
	var all []Directive
	for _, g := range f.Comments {
		for _, c := range g.List {
			if d, ok := parse(c, g, prefix); ok {
				all = append(all, d)
			}
		}
	}
	return all
}

func parse(c *ast.Comment, g *ast.CommentGroup, prefix string) (Directive, bool) {
	rest, ok := strings.CutPrefix(c.Text, prefix)
	if !ok {
		return Directive{}, false
	}
	end := strings.IndexAny(rest, " \t")
	if end < 0 {
		end = len(rest)
	}
	return Directive{rest[:end], strings.TrimSpace(rest[end:]), c, g}, true
}

// Answers are what a directive Ignore says: the checks or categories that it
// answers for, and why.
func (d Directive) Answers() (checks []string, reason string) {
	list, reason, _ := strings.Cut(d.Text, " ")
	names := strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
	return names, strings.TrimSpace(reason)
}

// Line is the line of which a directive Ignore speaks.
func (d Directive) Line(fset *token.FileSet, code map[int]bool) int {
	line := fset.Position(d.Comment.Pos()).Line
	if code[line] {
		return line
	}
	return fset.Position(d.Group.End()).Line + 1
}

// CodeLines are the lines of a file on which something other than a comment
// begins or ends.
func CodeLines(fset *token.FileSet, f *ast.File) map[int]bool {
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

// HasState reports whether a group of comments has the directive State.
func HasState(g *ast.CommentGroup) bool {
	return g != nil && slices.ContainsFunc(g.List, func(c *ast.Comment) bool {
		d, ok := parse(c, g, prefix)
		return ok && d.Word == State
	})
}

// A Declaration is names that are declared together.
type Declaration struct {
	Names []*ast.Ident
	// Struct is the named type whose fields they are, nil for others.
	Struct *ast.TypeSpec
}

// Declared yields the declarations of constants, variables, functions and fields
// of named structs that have comments, with each group of these.
func Declared(f *ast.File) iter.Seq2[*ast.CommentGroup, Declaration] {
	return func(yield func(*ast.CommentGroup, Declaration) bool) {
		more := true
		tell := func(d Declaration, groups ...*ast.CommentGroup) {
			for _, g := range groups {
				if g != nil && more && len(d.Names) > 0 {
					more = yield(g, d)
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				tell(Declaration{Names: []*ast.Ident{n.Name}}, n.Doc)
			case *ast.GenDecl:
				for _, s := range n.Specs {
					if vs, ok := s.(*ast.ValueSpec); ok {
						tell(Declaration{Names: vs.Names}, n.Doc, vs.Doc, vs.Comment)
					}
				}
			case *ast.TypeSpec:
				if st, ok := n.Type.(*ast.StructType); ok {
					for _, fl := range st.Fields.List {
						tell(Declaration{fl.Names, n}, fl.Doc, fl.Comment)
					}
				}
			}
			return more
		})
	}
}

// Beside is the text of the comments on the line above a position of a file, and
// behind it on its line.
func Beside(fset *token.FileSet, file *ast.File, pos token.Pos) string {
	line := func(pos token.Pos) int { return fset.PositionFor(pos, false).Line }
	at := line(pos)
	var text strings.Builder
	for _, g := range file.Comments {
		if line(g.End())+1 == at || line(g.Pos()) == at {
			text.WriteString(g.Text())
		}
	}
	return text.String()
}

// Comment is a directive Ignore for a check or category, as it is written.
func Comment(check, reason string) string { return prefix + Ignore + " " + check + " " + reason }
