package lsp

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/lsp/protocol"
)

// TestLineEdits makes another text by edits of lines, whatever ends the last one.
func TestLineEdits(t *testing.T) {
	texts := []string{"", "a", "a\n", "a\nb\nc\n", "a\r\nb\r\nc", "b\né😀\nc\nd", "x\ny\n\n", "é😀", "a\n\xff\nc\n"}
	for _, encoding := range []string{protocol.UTF8, protocol.UTF16} {
		for _, old := range texts {
			for _, fresh := range texts {
				before := newText([]byte(old), encoding)
				got := old
				for _, e := range slices.Backward(before.edits([]byte(fresh))) {
					got = got[:offset(before, e.Range.Start)] + e.NewText + got[offset(before, e.Range.End):]
				}
				if got != fresh {
					t.Errorf("%s: %q made of %q is %q", encoding, fresh, old, got)
				}
			}
		}
	}
}

// offset finds the byte at a position.
func offset(t *text, p protocol.Position) int {
	line := t.line(int(p.Line))
	n := 0
	for n < len(line) && units(line[:n], t.encoding) < p.Character {
		_, size := utf8.DecodeRune(line[n:])
		n += size
	}
	return t.lines[p.Line] + n
}
