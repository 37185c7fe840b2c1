package edit

import (
	"bytes"
	"go/format"
)

const byteOrderMark = "\xef\xbb\xbf"

// A Style is what an edit must not change about a file.
type Style struct {
	mark      bool // it starts with a byte order mark
	crlf      bool // every line ends in CR LF
	unended   bool // the last line has no newline
	formatted bool // gofmt would leave it alone, apart from the above
}

// StyleOf is the style of a file's content.
func StyleOf(src []byte) Style {
	s := Style{
		mark:    bytes.HasPrefix(src, []byte(byteOrderMark)),
		crlf:    allCRLF(src),
		unended: len(src) > 0 && !bytes.HasSuffix(src, []byte("\n")),
	}
	plain := s.plain(src)
	formatted, err := format.Source(plain)
	s.formatted = err == nil && bytes.Equal(plain, formatted)
	return s
}

// Made is a file's content with edits made in it, in the style that it has.
func Made(src []byte, edits []Edit) []byte { return StyleOf(src).Restore(Apply(src, edits)) }

// Restore gives edited content the style again.
func (s Style) Restore(edited []byte) []byte {
	out := s.plain(edited)
	if s.formatted {
		if formatted, err := format.Source(out); err == nil {
			out = formatted
		}
	}
	if s.unended {
		out = bytes.TrimSuffix(out, []byte("\n"))
	}
	if s.crlf {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	if s.mark {
		out = append([]byte(byteOrderMark), out...)
	}
	return out
}

func allCRLF(src []byte) bool {
	n := bytes.Count(src, []byte("\r\n"))
	return n > 0 && n == bytes.Count(src, []byte("\n"))
}

// plain is content as gofmt would write it, as far as the style says that the
// rest can be put back.
func (s Style) plain(src []byte) []byte {
	if s.mark {
		src = bytes.TrimPrefix(src, []byte(byteOrderMark))
	}
	if s.crlf {
		src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	}
	if s.unended && !bytes.HasSuffix(src, []byte("\n")) {
		src = append(bytes.Clone(src), '\n')
	}
	return src
}
