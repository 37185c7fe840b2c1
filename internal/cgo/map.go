package cgo

import (
	"bytes"
	"errors"
	"go/ast"
	"go/token"
	"slices"
)

// A Map takes places in what cgo made of a source to the places in the source. It
// knows those on lines that cgo left as they were: elsewhere columns differ.
type Map struct {
	made   *token.File
	above  int    // lines of the file above the source
	starts []int  // where the lines of the source begin, and where the last one ends
	same   []bool // by line of the source: cgo left it as it was
	tied   []bool // by line of the source: it belongs to the import of "C"
}

// NewMap compares what cgo made of a source with the source. It fails where they
// differ by more than what cgo changes: then the source is another one by now.
func NewMap(fset *token.FileSet, f *ast.File, made, source []byte) (*Map, error) {
	m := &Map{made: fset.File(f.FileStart)}
	m.above = fset.PositionFor(f.Package, false).Line - fset.Position(f.Package).Line
	ours, theirs := lines(source), lines(made)
	if m.above < 0 || len(theirs) != m.above+len(ours) {
		return nil, errors.New("cgo made it of another source")
	}
	at := 0
	for i, line := range ours {
		m.starts = append(m.starts, at)
		at += len(line)
		m.same = append(m.same, bytes.Equal(line, theirs[m.above+i]))
		if !m.same[i] && !changed(theirs[m.above+i]) {
			return nil, errors.New("cgo made it of another source")
		}
	}
	m.starts = append(m.starts, at)
	m.tied = make([]bool, len(ours))
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT {
			continue
		}
		for _, s := range decl.Specs {
			if spec := s.(*ast.ImportSpec); m.importsC(spec) {
				m.tie(decl.Doc, spec.Doc, spec)
			}
		}
	}
	return m, nil
}

func lines(text []byte) [][]byte { return bytes.SplitAfter(text, []byte("\n")) }

// changed reports whether a line bears a mark of cgo: the place of what it wrote
// there, or what stands for import "C".
func changed(line []byte) bool {
	return bytes.Contains(line, []byte("/*line :")) || bytes.Contains(line, []byte(blank))
}

const blank = `_ "unsafe"`

// importsC reports whether an import stands for that of "C".
func (m *Map) importsC(spec *ast.ImportSpec) bool {
	line := m.line(spec.Pos())
	return 0 <= line && line < len(m.same) && !m.same[line]
}

// tie marks the lines of the import of "C" and of its preamble, which has to stay
// right above it.
func (m *Map) tie(docs ...ast.Node) {
	for _, n := range docs {
		if g, ok := n.(*ast.CommentGroup); ok && g == nil {
			continue
		}
		for line := m.line(n.Pos()); line <= m.line(n.End()); line++ {
			m.tied[line] = true
		}
	}
}

// line is the line of the source, counted from zero.
func (m *Map) line(p token.Pos) int { return m.made.PositionFor(p, false).Line - 1 - m.above }

// Offset is the place in the source of a position, and whether that is known.
func (m *Map) Offset(p token.Pos) (int, bool) {
	line := m.line(p)
	if line < 0 || line >= len(m.same) {
		return 0, false
	}
	column := m.made.PositionFor(p, false).Column - 1
	return min(m.starts[line]+column, m.starts[line+1]), m.same[line]
}

// Pos is the position of a place in the source; it stands on its line where cgo
// changed that.
func (m *Map) Pos(offset int) token.Pos {
	line := m.at(offset)
	start := m.made.LineStart(line + 1 + m.above)
	if !m.same[line] {
		return start
	}
	return start + token.Pos(offset-m.starts[line])
}

// at is the line on which an offset of the source stands.
func (m *Map) at(offset int) int {
	line, found := slices.BinarySearch(m.starts, offset)
	if !found {
		line--
	}
	return min(line, len(m.same)-1)
}

// Same reports whether cgo left all lines from one offset of the source to another
// as they were.
func (m *Map) Same(from, to int) bool { return !slices.Contains(m.same[m.at(from):m.at(to)+1], false) }

// Clear reports whether what stands between two offsets of the source can change
// without a change to the import of "C" or its preamble.
func (m *Map) Clear(from, to int) bool {
	return !slices.Contains(m.tied[m.at(from):m.at(to)+1], true)
}

// FileOf is the file of that name and text in a set of files. Files with equal lines
// are one, so that equal edits have equal positions.
func FileOf(fset *token.FileSet, name string, text []byte) *token.File {
	lines := []int{0}
	for i, b := range text {
		if b == '\n' && i+1 < len(text) {
			lines = append(lines, i+1)
		}
	}
	for f := range fset.Iterate {
		if f.Name() == name && f.Size() == len(text) && slices.Equal(f.Lines(), lines) {
			return f
		}
	}
	f := fset.AddFile(name, -1, len(text))
	f.SetLines(lines)
	return f
}
