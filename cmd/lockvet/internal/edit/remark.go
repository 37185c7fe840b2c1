package edit

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// Remark puts a comment above a line of a source, counted from 0: at its end, where a string or a comment goes on above.
// It reports false where one does on both sides.
func Remark(src []byte, line int, comment string) (Edit, bool) {
	begin := 0
	for range line {
		next := bytes.IndexByte(src[begin:], '\n')
		if next < 0 {
			return Edit{}, false
		}
		begin += next + 1
	}
	text, _, _ := bytes.Cut(src[begin:], []byte("\n"))
	newline := "\n"
	if text = bytes.TrimSuffix(text, []byte("\r")); bytes.HasPrefix(src[begin+len(text):], []byte("\r\n")) {
		newline = "\r\n"
	}
	indent := text[:len(text)-len(bytes.TrimLeft(text, " \t"))]
	above := Edit{begin, begin, string(indent) + comment + newline}
	if isComment(src, above, len(indent)) {
		return above, true
	}
	behind := Edit{begin + len(text), begin + len(text), " " + comment}
	return behind, isComment(src, behind, 1)
}

// isComment reports whether what is inserted into a source has a comment at an offset of it.
func isComment(src []byte, e Edit, offset int) bool {
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", Apply(src, []Edit{e}), parser.ParseComments|parser.SkipObjectResolution)
	return file != nil && slices.ContainsFunc(file.Comments, func(g *ast.CommentGroup) bool {
		return slices.ContainsFunc(g.List, func(c *ast.Comment) bool {
			return fset.PositionFor(c.Pos(), false).Offset == e.Start+offset
		})
	})
}
