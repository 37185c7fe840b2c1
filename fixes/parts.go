package fixes

import (
	"bytes"
	"go/ast"
	"go/format"
	"slices"
	"strings"
)

// reformat is the formatted text of the file with the edits in it. It formats the
// declarations that are edited, each with those that no blank line parts from it: in a
// file that is formatted, what is beyond a blank line has no part in how they look.
func (s *source) reformat(edits []edit) ([]byte, error) {
	if text, ok := s.inParts(edits); ok {
		return text, nil
	}
	return format.Source(s.plain(s.apply(edits)))
}

// A stretch is what stands between two offsets of a file.
type stretch struct{ from, to int }

// inParts is reformat, part by part; false where that cannot be done, or where a part
// does not stand for itself.
func (s *source) inParts(edits []edit) (text []byte, ok bool) {
	if s.crlf || s.made != nil || !s.tidy() {
		return nil, false
	}
	parts := s.parts()
	at := 0
	for edits := outermost(edits); len(edits) > 0; {
		n := slices.IndexFunc(parts, func(p stretch) bool { return p.from <= edits[0].start && edits[0].end <= p.to })
		if n < 0 {
			return nil, false
		}
		p, mine := parts[n], 1
		for mine < len(edits) && edits[mine].end <= p.to {
			mine++
		}
		formatted, ok := s.formattedPart(p, edits[:mine])
		if !ok {
			return nil, false
		}
		text = append(append(text, s.text[at:p.from]...), formatted...)
		at, edits = p.to, edits[mine:]
	}
	return append(text, s.text[at:]...), true
}

// formattedPart is the formatted text of one part with edits in it.
func (s *source) formattedPart(p stretch, edits []edit) ([]byte, bool) {
	mended := s.apply(edits)
	before, behind := s.text[:p.from], s.text[p.to:]
	if len(mended) < len(before)+len(behind) || !bytes.HasPrefix(mended, before) || !bytes.HasSuffix(mended, behind) {
		return nil, false
	}
	body := mended[len(before) : len(mended)-len(behind)]
	if bytes.Contains(body, []byte("//line ")) || bytes.Contains(body, []byte("/*line ")) || bytes.Contains(body, []byte("//go:build")) || bytes.Contains(body, []byte("+build")) {
		return nil, false // comments that speak of the whole file
	}
	const clause = "package p\n\n"
	formatted, err := format.Source(slices.Concat([]byte(clause), body, []byte("\n")))
	if err != nil {
		return nil, false
	}
	rest, ok := strings.CutPrefix(string(formatted), clause)
	if rest = strings.TrimSuffix(rest, "\n"); !ok || rest == "" {
		return nil, false // nothing is left of it
	}
	return []byte(rest), true
}

// parts are the declarations of the file, those together that no blank line parts.
func (s *source) parts() []stretch {
	var parts []stretch
	end := s.offset(s.file.Name.End())
	for _, d := range s.file.Decls {
		from := s.offset(d.Pos())
		if doc := docOf(d); doc != nil {
			from = s.offset(doc.Pos())
		}
		to := s.offset(d.End())
		switch apart := string(s.text[end:from]) == "\n\n"; {
		case apart:
			parts = append(parts, stretch{from, to})
		case len(parts) > 0:
			parts[len(parts)-1].to = to
		}
		end = to
	}
	if n := len(parts) - 1; n >= 0 && string(s.text[end:]) != "\n" {
		parts = parts[:n] // a comment stands behind the last
	}
	return parts
}

func docOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}
