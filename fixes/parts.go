package fixes

import (
	"bytes"
	"go/format"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/linediff"
	"github.com/lockvet/lockvet/internal/syntax"
)

// A stretch is what stands between two offsets of a file.
type stretch struct{ from, to int }

// formatted gives edits that lead to the formatted form of what the given ones
// lead to, and that are as small as can be. What was not formatted before
// stays so.
//
// It formats the declarations that are edited, each with those that no blank line parts
// from it: in a file that is formatted, what is beyond a blank line has no part in how
// they look.
func (s *source) formatted(edits []edit) ([]edit, error) {
	edits = outermost(edits)
	tidy := s.tidy()
	if formatted, ok := s.inParts(edits); ok {
		if !tidy {
			return s.ending(edits), nil
		}
		return formatted, nil
	}
	text, err := format.Source(s.plain(s.apply(edits)))
	switch {
	case err != nil:
		return nil, refusal("the fixed code does not parse")
	case !tidy:
		return s.ending(edits), nil
	}
	return s.diff(stretch{0, len(s.text)}, string(s.ended(text))), nil
}

func (s *source) ending(edits []edit) []edit {
	for i := range edits {
		edits[i].text = s.endedText(edits[i].text)
	}
	return edits
}

// endedText is text with the line endings of the file.
func (s *source) endedText(text string) string {
	if !s.crlf {
		return text
	}
	return string(s.ended(s.plain([]byte(text))))
}

// inParts is formatted, part by part; false where that cannot be done, or where a part
// does not stand for itself. The edits are outermost.
func (s *source) inParts(edits []edit) (formatted []edit, ok bool) {
	if s.crlf {
		return nil, false
	}
	parts := s.parts()
	for len(edits) > 0 {
		n := partAt(parts, edits[0].start)
		if n < 0 || edits[0].end > parts[n].to {
			return nil, false
		}
		p, mine := parts[n], 1
		for mine < len(edits) && edits[mine].end <= p.to {
			mine++
		}
		text, ok := s.formattedPart(p, edits[:mine])
		if !ok {
			return nil, false
		}
		formatted = append(formatted, s.diff(p, text)...)
		edits = edits[mine:]
	}
	return formatted, true
}

// partAt is the index of the part that an offset stands in, -1 for none.
func partAt(parts []stretch, at int) int {
	n, _ := slices.BinarySearchFunc(parts, at, func(p stretch, at int) int { return p.to - at })
	if n == len(parts) || at < parts[n].from {
		return -1
	}
	return n
}

// formattedPart is the formatted text of one part with edits in it.
func (s *source) formattedPart(p stretch, edits []edit) (string, bool) {
	body, ok := s.applyIn(p, edits)
	if !ok {
		return "", false
	}
	if bytes.Contains(body, []byte("//line ")) || bytes.Contains(body, []byte("/*line ")) ||
		bytes.Contains(body, []byte("//go:build")) || bytes.Contains(body, []byte("+build")) {
		return "", false // comments that speak of the whole file
	}
	const clause = "package p\n\n"
	formatted, err := format.Source(slices.Concat([]byte(clause), body, []byte("\n")))
	if err != nil {
		return "", false
	}
	rest, ok := strings.CutPrefix(string(formatted), clause)
	if rest = strings.TrimSuffix(rest, "\n"); !ok || rest == "" {
		return "", false // nothing is left of it
	}
	return rest, true
}

// parts are the declarations of the file, those together that no blank line parts.
func (s *source) parts() []stretch {
	if s.divided == nil {
		s.divided = s.divide()
	}
	return s.divided
}

func (s *source) divide() []stretch {
	parts := []stretch{}
	end := s.offset(s.file.Name.End())
	for _, d := range s.file.Decls {
		from := s.offset(d.Pos())
		if doc := syntax.Doc(d); doc != nil {
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

// diff gives the edits, hunk by hunk of lines, that make of a part the fixed text.
func (s *source) diff(p stretch, fixed string) []edit {
	var edits []edit
	old := string(s.text[p.from:p.to])
	for _, hunk := range linediff.Edits(old, fixed) {
		edits = s.hunk(edits, p.from+hunk.Start, strings.SplitAfter(old[hunk.Start:hunk.End], "\n"),
			strings.SplitAfter(hunk.New, "\n"))
	}
	return edits
}

// hunk adds the edit that turns some lines into others. Lines that pair up are
// edited one by one, each where it differs.
func (s *source) hunk(edits []edit, at int, old, new []string) []edit {
	if len(old) == len(new) {
		for i := range old {
			if old[i] != new[i] {
				edits = append(edits, s.trimmed(at, old[i], new[i]))
			}
			at += len(old[i])
		}
		return edits
	}
	return append(edits, s.trimmed(at, strings.Join(old, ""), strings.Join(new, "")))
}

// trimmed is the edit without what both texts begin and end with.
func (s *source) trimmed(at int, old, new string) edit {
	if old == "" || new == "" {
		return edit{at, at + len(old), new, s.tok}
	}
	head, tail := linediff.Common(old, new)
	return edit{at + head, at + len(old) - tail, new[head : len(new)-tail], s.tok}
}
