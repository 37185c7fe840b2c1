// Package printable makes texts of others harmless to look at: names of files,
// sources, messages of other programs. It knows which characters act on a
// terminal or turn the text around them; it knows nothing of where a text goes.
package printable

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text is one line of text in which everything can be seen that would otherwise
// change the text around it, or end it: control characters, marks of the
// direction of writing, bytes that are no UTF-8. Tabs stay.
func Text(s string) string { return spellOut(s, "\t") }

// Lines is Text for a text of several lines.
func Lines(s string) string { return spellOut(s, "\t\n") }

// JSON is an encoded document in which such characters are escaped. Its values stay what they are.
func JSON(doc []byte) []byte {
	var b []byte
	for _, r := range string(doc) {
		if r > ' ' && isOdd(r) { // those below separate values: package json escapes them in texts
			b = fmt.Appendf(b, `\u%04x`, r)
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

func spellOut(s, but string) string {
	odd := func(r rune) bool { return isOdd(r) && !strings.ContainsRune(but, r) }
	s = strings.ToValidUTF8(s, "\ufffd")
	if !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !odd(r):
			b.WriteRune(r)
		case r < ' ':
			b.WriteRune('\u2400' + r) // its picture
		default:
			fmt.Fprintf(&b, "\u27e8U+%04X\u27e9", r)
		}
	}
	return b.String()
}

func isOdd(r rune) bool {
	return r < ' ' || r == 0x7f || r == '\u061c' || r == '\u200e' || r == '\u200f' ||
		'\u0080' <= r && r < '\u00a0' || '\u2028' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069' ||
		r == '\ufeff' || r == '\ufffe' || r == '\uffff'
}
