package lsp

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
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
	old, last, inHunk := 0, byte(' '), false
	for row := range bytes.Lines(diff.Diff("old", t.content, "new", fresh)) {
		if bytes.HasPrefix(row, []byte("@@ ")) {
			var count int
			fmt.Sscanf(string(row), "@@ -%d,%d ", &old, &count)
			if count > 0 {
				old-- // the first line is counted from 1; where there is none, it is the one before
			}
			last, inHunk = ' ', true
			continue
		}
		if !inHunk {
			continue // the names
		}
		kind := row[0]
		if last == ' ' && (kind == '-' || kind == '+') {
			all = append(all, protocol.TextEdit{Range: protocol.Range{Start: t.start(old), End: t.start(old)}})
		}
		switch kind {
		case '-':
			old++
			all[len(all)-1].Range.End = t.start(old)
		case '+':
			all[len(all)-1].NewText += string(row[1:])
		case ' ':
			old++
		case '\\': // the line of the row before has no end
			if last == '+' {
				e := &all[len(all)-1]
				e.NewText = e.NewText[:len(e.NewText)-1]
			}
			continue
		}
		last = kind
	}
	return all
}

// start is where a line, counted from 0, begins: the end of the text where there is none.
func (t *text) start(line int) protocol.Position {
	if line < len(t.lines) {
		return protocol.Position{Line: uint32(line)}
	}
	end := len(t.lines) - 1
	return t.position(end, len(t.line(end)))
}
