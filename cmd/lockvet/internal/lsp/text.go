package lsp

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/linediff"
)

// A text is the content of a file, in which the editor counts characters in its own way.
type text struct {
	content  []byte
	lines    []int // where they begin
	encoding string
}

func newText(content []byte, encoding string) *text {
	t := &text{content: content, lines: []int{0}, encoding: encoding}
	for i, c := range content {
		if c == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// line is a line, counted from 0, without its end; empty where there is none.
func (t *text) line(n int) []byte {
	if n < 0 || n >= len(t.lines) {
		return nil
	}
	end := len(t.content)
	if n+1 < len(t.lines) {
		end = t.lines[n+1] - 1
	}
	return bytes.TrimSuffix(t.content[t.lines[n]:end], []byte("\r"))
}

// position is that of a byte of a line, counted from 0.
func (t *text) position(line, column int) protocol.Position {
	before := t.line(line)
	before = before[:min(max(column, 0), len(before))]
	return protocol.Position{Line: uint32(max(line, 0)), Character: units(before, t.encoding)}
}

// units counts the characters of a text.
func units(s []byte, encoding string) uint32 {
	if encoding == protocol.UTF8 {
		return uint32(len(s))
	}
	n := 0
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s) // what is no UTF-8 is one character, U+FFFD
		n += utf16.RuneLen(r)
		s = s[size:]
	}
	return uint32(n)
}

// place is the range from a position up to another; to the end of the line where there is
// no other.
func (t *text) place(from, to *report.Pos) protocol.Range {
	r := protocol.Range{Start: t.position(from.Line-1, from.Column-1)}
	if to != nil && to.File == from.File {
		r.End = t.position(to.Line-1, to.Column-1)
	}
	if before(r.End, r.Start) {
		r.End = t.position(from.Line-1, len(t.line(from.Line-1)))
	}
	return r
}

// before compares positions.
func before(a, b protocol.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

// edits make another content of a text, line by line.
func (t *text) edits(fresh []byte) []protocol.TextEdit {
	var all []protocol.TextEdit
	for _, e := range linediff.Edits(string(t.content), string(fresh)) {
		all = append(all, protocol.TextEdit{Range: protocol.Range{Start: t.at(e.Start), End: t.at(e.End)}, NewText: e.New})
	}
	return all
}

// at is the position of the byte at an offset.
func (t *text) at(offset int) protocol.Position {
	line, found := slices.BinarySearch(t.lines, offset)
	if !found {
		line--
	}
	return t.position(line, offset-t.lines[line])
}
