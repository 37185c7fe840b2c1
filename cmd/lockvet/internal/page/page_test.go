package page

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/edit"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/printable"
)

// written is the directory for the pages that a browser is to try.
var written = flag.String("pages", "", "write pages to try in a browser into this `directory`")

// TestWritePages writes the pages of the other tests to where they were asked for: a
// module of its own has the browser.
func TestWritePages(t *testing.T) {
	dir := *written
	if dir == "" {
		dir = t.TempDir()
	}
	for name, doc := range map[string]*report.Document{"sample.html": sample(), "many.html": many(2000), "nothing.html": {}, "gaveup.html": gaveUpOften()} {
		page := render(t, samplePage(doc))
		if !strings.HasPrefix(page, "<!doctype html>") {
			t.Errorf("%s is no page: %.40q", name, page)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// nasty stands wherever a text of the user can stand.
const nasty = "</script></style></pre><img src=x onerror=alert(1)>'\"`&amp;{{.}}\xff\xfe\u202e\u2028\x00\x1b"

// sources are the files of the sample, by the names that it has for them.
func sources() map[string]string {
	var save strings.Builder
	save.WriteString("package store\n\nimport \"os\"\n\n// save keeps " + strings.ReplaceAll(nasty, "\u2028", "") + "\nfunc save(path string, data []byte) error {\n")
	for i := range 30 {
		fmt.Fprintf(&save, "\t// step %d\n", i)
	}
	save.WriteString("\treturn os.WriteFile(path, data, 0o644) /* a long comment that does not fit into one line of a telephone */\n}\n")
	return map[string]string{
		"store/save.go":            save.String(),
		"store/" + nasty + "/a.go": "package a\r\n\r\nvar s = `" + strings.ReplaceAll(nasty, "`", "") + "`\r\n",
		"other/other.go":           "package other\n\nfunc other() {\n\tother()\n}",
	}
}

// sample is a document with something of everything.
func sample() *report.Document {
	const file = "store/save.go"
	content := sources()[file]
	call := strings.Index(content, "os.WriteFile")
	save := report.Finding{
		Check: "tornwrite", Category: "tornwrite/inplace", Severity: report.Error, Fingerprint: "aa:1", Package: "example.com/m/store",
		Pos: &report.Pos{File: file, Line: 37, Column: 9}, End: &report.Pos{File: file, Line: 37, Column: 40},
		Func: "save", Message: "save truncates path before it is written", Claim: "holds state",
		Evidence: []report.Evidence{
			{Pos: &report.Pos{File: file, Line: 37, Column: 9}, Text: "it is encoded"},
			{Pos: &report.Pos{File: file, Line: 37, Column: 9}, Text: "it is decoded"},
			{Text: "another package reads it"},
		},
		Schedule: []report.Step{
			{Actor: "process A", Pos: &report.Pos{File: file, Line: 37, Column: 9}, Does: "truncates it", File: "nothing"},
			{Actor: "process B", Pos: &report.Pos{File: "other/other.go", Line: 4, Column: 2}, Does: "reads it"},
			{Actor: "process A", Does: "is killed before the content is complete", File: "a part of the new content, or nothing"},
		},
		Fix: &report.Fix{Message: "Replace it whole", Edits: []report.Edit{
			{File: file, Start: call, End: call + len("os.WriteFile"), New: "safeio.WriteFile"},
			{File: file, Start: strings.Index(content, `"os"`), End: strings.Index(content, `"os"`) + 4, New: `"example.com/m/safeio"`},
		}},
	}
	crowd := report.Finding{
		Check: "earlyrelease", Category: "earlyrelease/unlink", Severity: report.Warning, Fingerprint: "bb:1", Package: "example.com/m/" + nasty,
		Pos:  &report.Pos{File: "store/" + nasty + "/a.go", Line: 3, Column: 5},
		Func: "(*T[" + nasty + "]).f", Message: "f loses " + nasty, Claim: "is " + nasty,
		Evidence: []report.Evidence{{Text: nasty}},
		Fix:      nil, NoFix: "of " + nasty,
	}
	for i, actor := range []string{"process A", "process B", "the machine " + nasty, "process A", "process D", "averylongnameofanactorthatcannotbebrokenanywhere"} {
		crowd.Schedule = append(crowd.Schedule, report.Step{Actor: actor, Does: "does " + nasty, File: []string{"", "", "something", "", nasty, ""}[i], Memory: []string{nasty, "", "something", "", "", ""}[i]})
	}
	memory := report.Finding{
		Check: "latelock", Category: "latelock/before", Severity: report.Note, Fingerprint: "cc:1", Package: "example.com/m/store",
		Pos: &report.Pos{File: "store/gone.go", Line: 1000, Column: 70}, End: &report.Pos{File: "store/gone.go", Line: 1001, Column: 1},
		Func: "late", Message: "late changes x before the lock", Claim: "guarded by mu",
		Evidence: []report.Evidence{{Pos: &report.Pos{File: "store/gone.go", Line: 3, Column: 1}, Text: "it is"}},
		Schedule: []report.Step{
			{Actor: "goroutine A", Does: "copies x and lets go of mu", Memory: "what A has copied"},
			{Actor: "goroutine B", Does: "changes x", Memory: "the change of B"},
			{Actor: "goroutine B", Does: "writes it", File: "the change of B"},
			{Actor: "goroutine A", Does: "writes what it has from before", File: "an older state, without the change of B"},
		},
		NoFix: "the lock is taken elsewhere",
	}
	fixed := save
	fixed.Fingerprint, fixed.Message = "dd:1", "save was fixed"
	return &report.Document{Version: 1, Findings: []report.Finding{save, crowd, memory}, Fixed: []report.Finding{fixed}}
}

func samplePage(doc *report.Document) Page {
	files := make(map[string][]byte)
	for name, content := range sources() {
		files[name] = []byte(content)
	}
	read := func(name string) []byte { return files[name] }
	return Page{
		Title: "sample " + nasty, Version: "v1.2.3", Document: doc, Read: read,
		About:     []Fact{{"module", "example.com/m"}, {"revision", "1a2b3c4 of 2026-01-02"}, {"command", "lockvet -html out.html " + nasty}},
		ReadFixed: func(_ int, name string) []byte { return read(name) },
	}
}

func render(t testing.TB, p Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestOwnHunk looks for the hunk that is marked: that with the line of the finding, and
// none where there is no other.
func TestOwnHunk(t *testing.T) {
	var one, two string
	for i := range 20 {
		one += fmt.Sprintf("\tone(%d)\n", i)
		two += fmt.Sprintf("\ttwo(%d)\n", i)
	}
	source := "package a\n\nimport \"os\"\n\nfunc f() {\n" + one + "}\n\nfunc g() {\n" + two + "}\n"
	at := func(line int) int {
		return len(strings.Join(strings.SplitAfter(source, "\n")[:line-1], ""))
	}
	for _, c := range []struct {
		name  string
		line  int
		edits []int // lines that change
		want  int   // the first line of the hunk, 0 for none
	}{
		{"its line", 10, []int{3, 10, 40}, 7},
		{"a line beside it", 24, []int{3, 22, 35}, 19},
		{"elsewhere", 24, []int{3, 40}, 0},
		{"the only one", 10, []int{10}, 0},
	} {
		f := report.Finding{Check: "tornwrite", Severity: report.Error, Fingerprint: "a", Pos: &report.Pos{File: "a.go", Line: c.line}, Fix: &report.Fix{}}
		for _, line := range c.edits {
			f.Fix.Edits = append(f.Fix.Edits, report.Edit{File: "a.go", Start: at(line), End: at(line), New: "// new\n"})
		}
		b := builder{texts: map[textKey]*text{}}
		v := b.finding(&f, func(string) []byte { return []byte(source) })
		got := 0
		for i := range v.Patches[0].Hunks {
			if h := &v.Patches[0].Hunks[i]; v.Own(h) {
				got += h.Line
			}
		}
		if got != c.want {
			t.Errorf("%s: the hunk at line %d is marked, want %d", c.name, got, c.want)
		}
	}
}

// TestSegments puts the segments of each line together again, wherever they are
// cut.
func TestSegments(t *testing.T) {
	for name, content := range sources() {
		content := newText([]byte(content))
		for n := 1; n <= content.lines(); n++ {
			start, end := content.bounds(n)
			for from := start; from <= end; from++ {
				for to := from; to <= end; to += 3 {
					var line, marked string
					for _, s := range content.segments(n, 0, from, to) {
						line += s.Text
						if strings.HasPrefix(s.Class, "m") {
							marked += s.Text
						}
					}
					whole, part := content.content[start:end], content.content[from:to]
					if !bytes.Contains(whole, []byte("img")) && (line != printable.Text(string(whole)) || marked != printable.Text(string(part))) {
						t.Fatalf("%s:%d: %q with %q marked, want %q with %q", name, n, line, marked, whole, part)
					}
				}
			}
		}
	}
}

// TestPatch rebuilds both files from what the page shows of a patch.
func TestPatch(t *testing.T) {
	before := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\n"
	fix := &report.Fix{Edits: []report.Edit{
		{File: "x", Start: 2, End: 3, New: "B\nBB"},
		{File: "x", Start: 24, End: 26, New: ""},
		{File: "gone", Start: 0, End: 1, New: ""},
		{File: "short", Start: 10, End: 20, New: ""},
	}}
	files := map[string]*text{"x": newText([]byte(before)), "short": newText([]byte("short"))}
	all := patches(fix, func(name string) *text { return files[name] })
	if len(all) != 1 || len(all[0].Hunks) != 2 || all[0].Hunks[1].Line != 10 {
		t.Fatalf("the patch is %+v", all)
	}
	after := newText(edit.Apply([]byte(before), []edit.Edit{{Start: 2, End: 3, New: "B\nBB"}, {Start: 24, End: 26}}))
	for _, h := range all[0].Hunks {
		for _, b := range h.Blocks {
			for _, l := range b.Old {
				checkLine(t, files["x"], l)
			}
			for _, l := range b.New {
				checkLine(t, after, l)
			}
			if b.Same && len(b.Old) != len(b.New) {
				t.Errorf("%d lines are the same as %d", len(b.Old), len(b.New))
			}
		}
	}
}

func checkLine(t *testing.T, in *text, l line) {
	t.Helper()
	start, end := in.bounds(l.Number)
	var shown string
	for _, s := range l.Segments {
		shown += s.Text
	}
	if want := string(in.content[start:end]); shown != want {
		t.Errorf("line %d is shown as %q, want %q", l.Number, shown, want)
	}
}

// TestSchedule checks where a step stands, and how long memory and the file stay
// as they are.
func TestSchedule(t *testing.T) {
	s := newSchedule(sample().Findings[1].Schedule, func(*report.Pos) place { return place{} })
	var lanes []int
	spans := make([][]int, len(s.Bands))
	for i, st := range s.Steps {
		lanes = append(lanes, st.Lane)
		for _, h := range st.Holds {
			spans[h.Band] = append(spans[h.Band], i, h.Span)
		}
	}
	if !slices.Equal(lanes, []int{0, 1, 2, 0, 3, 4}) || s.Rows() != 7 {
		t.Errorf("lanes %v, %d rows", lanes, s.Rows())
	}
	want := []band{{"memory holds", "what it held before", 0}, {"the file holds", "what was saved before", 2}}
	if !slices.Equal(s.Bands, want) || !slices.Equal(spans[0], []int{0, 2, 2, 4}) || !slices.Equal(spans[1], []int{2, 2, 4, 2}) {
		t.Errorf("bands %v, spans %v", s.Bands, spans)
	}
	if newSchedule(nil, nil) != nil {
		t.Error("no steps are a schedule")
	}
}

// gaveUpOften is a document of a run that is not complete.
func gaveUpOften() *report.Document {
	doc := &report.Document{}
	for i := range 12 {
		doc.GaveUp = append(doc.GaveUp, report.GaveUp{Package: "example.com/m", Question: fmt.Sprintf("question %d", i), Func: "f[" + nasty + "]", Steps: 7, Bound: "size"})
	}
	return doc
}

// many is a document with so many findings, in packages of ten.
func many(n int) *report.Document {
	doc := &report.Document{}
	for i := range n {
		f := sample().Findings[i%3]
		f.Package, f.Fingerprint = fmt.Sprintf("example.com/m/p%d", i/10), fmt.Sprintf("%032x:1", i)
		f.Message = fmt.Sprintf("finding %d: %s", i, f.Message)
		doc.Findings = append(doc.Findings, f)
	}
	return doc
}

// The page grows with the findings, and no faster.
func TestSize(t *testing.T) {
	few, lots := len(render(t, samplePage(many(30)))), len(render(t, samplePage(many(300))))
	if each := (lots - few) / 270; each > 15_000 {
		t.Errorf("a finding takes %d bytes", each)
	}
}

// TestClasses: what is laid out as a row or a grid by its class is one kind of element, so
// that no sentence is taken apart.
func TestClasses(t *testing.T) {
	page, err := os.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	style, err := os.ReadFile("style.css")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]map[string]bool{}
	for _, m := range regexp.MustCompile(`<(\w+)[^>]* class="([^"{]*)`).FindAllSubmatch(page, -1) {
		for class := range strings.FieldsSeq(string(m[2])) {
			if kinds[class] == nil {
				kinds[class] = map[string]bool{}
			}
			kinds[class][string(m[1])] = true
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^\.([\w-]+) \{.*display: (flex|grid)`).FindAllSubmatch(style, -1) {
		if class := string(m[1]); len(kinds[class]) > 1 {
			t.Errorf("the class %s of %s is that of %v", class, m[2], slices.Sorted(maps.Keys(kinds[class])))
		}
	}
}
