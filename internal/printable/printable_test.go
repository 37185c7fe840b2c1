package printable

import "testing"

func TestText(t *testing.T) {
	for _, c := range []struct{ in, text, lines string }{
		{"a\tü €", "a\tü €", "a\tü €"},
		{"\x1b[31mred\x1b[0m", "␛[31mred␛[0m", "␛[31mred␛[0m"},
		{"\x1b]0;title\a", "␛]0;title␇", "␛]0;title␇"},
		{"\u009b31m\x7f", "⟨U+009B⟩31m⟨U+007F⟩", "⟨U+009B⟩31m⟨U+007F⟩"},
		{"one\r\ntwo", "one␍␊two", "one␍\ntwo"},
		{"\u202eback\u2066\u2028", "⟨U+202E⟩back⟨U+2066⟩⟨U+2028⟩", "⟨U+202E⟩back⟨U+2066⟩⟨U+2028⟩"},
		{"\xff\x00\ufffe", "\ufffd␀⟨U+FFFE⟩", "\ufffd␀⟨U+FFFE⟩"},
	} {
		if got := Text(c.in); got != c.text {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.text)
		}
		if got := Lines(c.in); got != c.lines {
			t.Errorf("Lines(%q) = %q, want %q", c.in, got, c.lines)
		}
	}
}
