package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/lockvet/lockvet/internal/verdict"
)

// sample is a finding in a file with characters of several bytes, whose last
// step has a word that fits into wide lanes only.
func sample(t *testing.T) (Printer, *Document) {
	dir := t.TempDir()
	source := "package m\n\nvar é = f(\"ü\") // here\n"
	if err := os.WriteFile(filepath.Join(dir, "m.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	start := strings.Index(source, "f(")
	long := strings.Repeat("x", 22)
	return Printer{Dir: dir}, &Document{Findings: []Finding{{
		Check: "tornwrite", Category: "tornwrite/inplace", Severity: Warning, Fingerprint: "0:1", Package: "m", Func: "f",
		Pos: &Pos{"m.go", 3, 10}, End: &Pos{"m.go", 3, 17}, Message: "f loses, 100% of it", Claim: "holds state",
		Evidence: []Evidence{{nil, "it [does]"}},
		Schedule: []Step{{"process A", &Pos{"m.go", 3, 10}, "writes", "the new content", "nothing"}, {"process B", nil, "reads " + long, "", ""}},
		Fix:      &Fix{"fix it", []Edit{{"m.go", start, start + 1, "g"}}},
	}}}
}

// TestDocumented: docs/report.md names every field of the JSON document.
func TestDocumented(t *testing.T) {
	docs, err := os.ReadFile("../../../../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(docs), "# The JSON document")
	p, doc := sample(t)
	doc.Fixed = doc.Findings
	doc.GaveUp = []GaveUp{{}}
	var out bytes.Buffer
	if err := Encode(&out, doc); err != nil {
		t.Fatal(err)
	}
	for _, key := range regexp.MustCompile(`"(\w+)": `).FindAllStringSubmatch(out.String(), -1) {
		if !strings.Contains(section, "`"+key[1]+"`") {
			t.Errorf("%s is not documented", key[1])
		}
	}
	if version := fmt.Sprintf("The version is %d.", p.Document(nil, nil, nil).Version); !strings.Contains(section, version) {
		t.Errorf("the documentation does not say %q", version)
	}
}

// TestColor: colours are there if asked for, and otherwise nothing of them is.
func TestColor(t *testing.T) {
	p, doc := sample(t)
	for _, color := range []bool{true, false} {
		var out bytes.Buffer
		if err := p.Text(&out, doc, Style{Timeline: true, Color: color}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "\x1b["); got != color {
			t.Errorf("colour %v:\n%q", color, out.String())
		}
	}
}

// TestWidth: at every width the explanations keep to it, no word is broken, and where a word
// has no room in its lane, the schedule is a list.
func TestWidth(t *testing.T) {
	p, doc := sample(t)
	drawn := map[int]bool{}
	for _, width := range []int{0, 40, minWidth, 80, 100, maxWidth, 200} {
		for _, boxed := range []bool{false, true} {
			var out bytes.Buffer
			if err := p.Text(&out, doc, Style{Timeline: true, Width: width, Boxes: boxed}); err != nil {
				t.Fatal(err)
			}
			vertical, room := "|", min(max(cmp.Or(width, DefaultWidth), minWidth), maxWidth)
			if boxed {
				vertical = "│"
			}
			lanes := 0
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSuffix(line, "\n")
				switch n := displaywidth.String(line); {
				case width == 0 && strings.HasPrefix(line, doc.Findings[0].Pos.File):
				case n > room && len(strings.Fields(line)) > 4:
					t.Errorf("at %d, %d columns: %s", width, n, line)
				case strings.Contains(line, vertical):
					lanes++
				}
			}
			drawn[room] = lanes > 3
			words := strings.Fields(strings.ReplaceAll(out.String(), ";", " "))
			for _, step := range doc.Findings[0].Schedule {
				for _, word := range strings.Fields(step.Does) {
					if !slices.Contains(words, word) {
						t.Errorf("at %d, %q is broken:\n%s", width, word, out.String())
					}
				}
			}
		}
	}
	if !drawn[maxWidth] || drawn[minWidth] {
		t.Errorf("lanes by width: %v", drawn)
	}
}

// TestHead: the first line of a finding is one where programs may read it; on a terminal its
// rest stands below the place, which stays whole.
func TestHead(t *testing.T) {
	p, doc := sample(t)
	f := &doc.Findings[0]
	f.Pos.File = "a  b.go"
	f.Message = "f loses what it has, and all that anybody else has written in between"
	for _, tt := range []struct {
		width   int
		message string
		want    string
	}{
		{0, f.Message, "a  b.go:3:10: " + f.Message + " (tornwrite/inplace, warning)\n"},
		{60, f.Message, "a  b.go:3:10: f loses what it has, and all that anybody\n    else has written in between (tornwrite/inplace, warning)\n"},
		{110, f.Message, "a  b.go:3:10: f loses what it has, and all that anybody else has written in between\n    (tornwrite/inplace, warning)\n"},
		{60, "f loses it", "a  b.go:3:10: f loses it (tornwrite/inplace, warning)\n"},
		{60, strings.Repeat("x", 50) + " is lost", "a  b.go:3:10:\n    " + strings.Repeat("x", 50) + " is\n    lost (tornwrite/inplace, warning)\n"},
	} {
		f.Message = tt.message
		var out bytes.Buffer
		if err := p.Text(&out, doc, Style{Width: tt.width}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), tt.want) {
			t.Errorf("at %d columns:\n%s\nwant\n%s", tt.width, out.String(), tt.want)
		}
	}
}

// TestExcerpt: on a terminal, the line of source is cut where it has no room, and what is
// found is underlined where it stands.
func TestExcerpt(t *testing.T) {
	p, doc := sample(t)
	f := &doc.Findings[0]
	show := func(source, marked string, style Style) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.Dir, "m.go"), []byte("\n\n\t"+source+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		start := 2 + strings.Index(source, marked)
		f.Pos, f.End = &Pos{"m.go", 3, start}, &Pos{"m.go", 3, start + len(marked)}
		var out bytes.Buffer
		if err := p.Text(&out, doc, style); err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(out.String(), "     3 ")
		line, rest, _ := strings.Cut(rest, "\n")
		under, _, _ := strings.Cut(rest, "\n")
		return line + "\n" + strings.TrimPrefix(under, "       ")
	}
	call, many := "save(path)", strings.Repeat("é", 40)
	wide := "save(" + many + ")"
	ascii, boxes := Style{Width: 50}, Style{Width: 50, Boxes: true}
	for _, tt := range []struct {
		source, marked string
		style          Style
		want           string
	}{
		{call, call, ascii, "| save(path)\n| ^^^^^^^^^^"},
		{call + " // " + many, call, Style{}, "| save(path) // " + many + "\n| ^^^^^^^^^^"},
		{call + " // " + many, call, Style{Width: 63}, "| save(path) // " + many + "\n| ^^^^^^^^^^"},
		{call + " // " + many, call, ascii, "| save(path) // " + many[:2*24] + "...\n| ^^^^^^^^^^"},
		{call + " // " + many, call, boxes, "│ save(path) // " + many[:2*26] + "…\n│ ^^^^^^^^^^"},
		{many + call, call, ascii, "| ..." + call + "\n|    ^^^^^^^^^^"},
		{many + call + many, call, ascii, "| ..." + call + many[:2*25] + "...\n|    ^^^^^^^^^^"},
		{wide + many, wide, ascii, "| save(" + many[:2*33] + "...\n| " + strings.Repeat("^", 41)},
		{many + wide, wide, ascii, "| ...save(" + many[:2*30] + "...\n|    " + strings.Repeat("^", 38)},
	} {
		if got := show(tt.source, tt.marked, tt.style); got != tt.want {
			t.Errorf("%s at %d columns:\n%s\nwant\n%s", tt.source, tt.style.Width, got, tt.want)
		}
	}
}

func TestFold(t *testing.T) {
	const text = "short\n" +
		"\tname          what it does, which is much more than there are columns\n" +
		"  - an item that has many words, more of them than there are columns\n" +
		"a sentence that is longer than that, and comes from the left margin\n"
	if got := Fold(text, 0, 2); got != text {
		t.Errorf("with no terminal:\n%s", got)
	}
	want := "short\n" +
		"        name          what it does, which is much\n" +
		"                      more than there are columns\n" +
		"  - an item that has many words, more of them than\n" +
		"    there are columns\n" +
		"a sentence that is longer than that, and comes\n" +
		"from the left margin\n"
	if got := Fold(text, 50, 0); got != want {
		t.Errorf("at 50 columns:\n%s\nwant\n%s", got, want)
	}
	if got := Fold(text, 50, 2); !strings.HasSuffix(got, "\n  from the left margin\n") {
		t.Errorf("further to the right:\n%s", got)
	}
}

// TestColumns: SARIF counts characters, in places and in edits.
func TestColumns(t *testing.T) {
	p, doc := sample(t)
	var out bytes.Buffer
	if err := p.SARIF(&out, doc); err != nil {
		t.Fatal(err)
	}
	type region struct{ StartLine, StartColumn, EndColumn int }
	var log struct {
		Runs []struct {
			ColumnKind string
			Results    []struct {
				Locations []struct{ PhysicalLocation struct{ Region region } }
				Fixes     []struct {
					ArtifactChanges []struct {
						Replacements []struct{ DeletedRegion region }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	place := run.Results[0].Locations[0].PhysicalLocation.Region
	edit := run.Results[0].Fixes[0].ArtifactChanges[0].Replacements[0].DeletedRegion
	if run.ColumnKind != "unicodeCodePoints" || place != (region{3, 9, 15}) || edit != (region{3, 9, 10}) {
		t.Errorf("%s: the finding is at %v, its edit at %v", run.ColumnKind, place, edit)
	}
}

// TestEditCallsSafeio: SARIF says so of an edit that names the package, whatever else of a
// call it replaces.
func TestEditCallsSafeio(t *testing.T) {
	p, doc := sample(t)
	for edit, want := range map[string]bool{"safeio": true, "safeio.Lock(name)": true, "mysafeio.Lock(name)": false, "g": false} {
		doc.Findings[0].Fix.Edits[0].New = edit
		var out bytes.Buffer
		if err := p.SARIF(&out, doc); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "calls package safeio") != want {
			t.Errorf("of %q it does not say %v", edit, want)
		}
	}
}

// TestAnnotations: the command says how severe it is, and escapes what would end
// it.
func TestAnnotations(t *testing.T) {
	_, doc := sample(t)
	var out bytes.Buffer
	if err := Annotations(&out, doc); err != nil {
		t.Fatal(err)
	}
	doc.Findings[0].Pos.File, doc.Findings[0].End.File = "a,b:c%.go", "a,b:c%.go"
	if err := Annotations(&out, doc); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "\n::warning file=a%2Cb%3Ac%25.go,line=3,") {
		t.Errorf("%q does not escape a name", out.String())
	}
	want := "::warning file=m.go,line=3,col=10,endLine=3,title=lockvet tornwrite/inplace::f loses, 100%25 of it%0A1. process A writes"
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("%q, want %q…", out.String(), want)
	}
}

// TestCandidatesText: what is printed of a candidate adds up to its score. A rule that speaks at two places counts once.
func TestCandidatesText(t *testing.T) {
	rule, err := verdict.Find("state/encoded")
	if err != nil {
		t.Fatal(err)
	}
	k := verdict.NewLog(true, nil).Candidate("tornwrite", token.NoPos, "save").Is("inplace")
	k.Says(rule, token.NoPos, "here")
	k.Says(rule, token.NoPos, "there")
	k.Reported, k.Severity = true, string(Error)
	all := Printer{}.Candidates(token.NewFileSet(), []*verdict.Candidate{k})
	odds := all[0].Base + all[0].Rules[0].Weight
	if got := 1 / (1 + math.Exp(-odds)); math.Abs(got-all[0].Score) > 0.005 {
		t.Errorf("score %.3f, and what is printed adds up to %.3f", all[0].Score, got)
	}
	all[0].Pos = &Pos{File: "a.go", Line: 1, Column: 1}
	var out bytes.Buffer
	if err := CandidatesText(&out, all, 0); err != nil {
		t.Fatal(err)
	}
	if weight := fmt.Sprintf("(%+.2f)", all[0].Rules[0].Weight); strings.Count(out.String(), weight) != 1 {
		t.Errorf("the weight stands there %d times:\n%s", strings.Count(out.String(), weight), out.String())
	}
}
