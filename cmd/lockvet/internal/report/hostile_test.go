package report

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lockvet/lockvet/internal/printable"
)

// hostile is a text of somebody else: controls of terminals, a text that is written backwards, a
// command for GitHub Actions, the end of a section of XML, what is no UTF-8 and what is no character.
const hostile = "a\x1b[31m\u009b2J\u202eb\u2066\x00\x7f\r\n::error file=b::c]]>\xff\ufffe&<"

// hostileDocument has such a text wherever one can be.
func hostileDocument() *Document {
	pos := &Pos{hostile, 3, 1}
	f := Finding{
		Check: "tornwrite", Category: "tornwrite/inplace", Severity: Error, Fingerprint: "f:1", Package: hostile,
		Pos: pos, End: pos, Func: hostile, Message: hostile, Claim: "a" + hostile,
		Evidence: []Evidence{{pos, hostile}}, Schedule: []Step{{hostile, pos, hostile, hostile, hostile}},
		Rules: []Spoken{{"a/b", "for", 0, hostile, pos}},
	}
	fixed, noted := f, f
	fixed.Fix = &Fix{hostile, []Edit{{hostile, 0, 1, hostile}}}
	noted.NoFix, noted.Severity = hostile, Note
	return &Document{Version: 1, Tool: "lockvet", Findings: []Finding{f, fixed, noted}, Fixed: []Finding{fixed},
		GaveUp:     []GaveUp{{Package: hostile, Question: hostile, Func: hostile}},
		Candidates: []Candidate{{Check: "a", Category: "a/b", Pos: pos, Func: hostile}}}
}

// TestHostileTexts: whatever texts a repository has, no format passes on a character that acts on a
// terminal or turns the text around it, and each can be decoded.
func TestHostileTexts(t *testing.T) {
	p := Printer{Dir: t.TempDir()}
	formats := map[string]func(io.Writer, *Document) error{
		"boxes":      func(w io.Writer, d *Document) error { return p.Text(w, d, Style{Width: 80, Boxes: true}) },
		"timeline":   func(w io.Writer, d *Document) error { return p.Text(w, d, Style{Width: 120, Timeline: true}) },
		"candidates": func(w io.Writer, d *Document) error { return CandidatesText(w, d.Candidates, 80) },
		"summary": func(w io.Writer, d *Document) error {
			return Summary(w, &Migration{Document: d, PutBack: []string{hostile}})
		},
	}
	for _, f := range Formats {
		formats[f.Name] = func(w io.Writer, d *Document) error { return f.Write(p, w, d) }
	}
	for name, write := range formats {
		var out strings.Builder
		if err := write(&out, hostileDocument()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := out.String(); !utf8.ValidString(got) || printable.Lines(got) != got {
			t.Errorf("%s passes on what is not printable: %q", name, got)
		}
		if err := decode(name, out.String()); err != nil {
			t.Errorf("%s: %v in %q", name, err, out.String())
		}
	}
}

// decode is an error if the text is not in the language of a format.
func decode(format, text string) error {
	switch format {
	case "json", "sarif", "gitlab":
		return json.Unmarshal([]byte(text), new(any))
	case "checkstyle", "junit":
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	case "github":
		if n := strings.Count(text, "\n::"); n != 2 {
			return errors.New("a text is a command")
		}
	}
	return nil
}
