package analyzer_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/format"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/fixtures"
	"github.com/lockvet/lockvet/internal/linediff"
)

var update = flag.Bool("update", false, "rewrite the diffs of the fixtures")

// TestFixtures analyses the fixtures of all checks. Each line marked "want" is reported, and
// nothing else is; the fixes change each file as the diff of its archive says. With the fixes
// made all of it compiles, and a second run reports only what the first had no fix for, and
// nothing in safeio.
func TestFixtures(t *testing.T) {
	t.Parallel()
	dir := gopath(t)
	first := run(t, loadIn(t, dir, true, checkPatterns()...))
	seen := map[string]bool{}
	fixed := map[string][]byte{} // by file, where a fix changes it
	for _, act := range first.Roots {
		wanted(t, act)
		for _, d := range act.Diagnostics {
			wellFormed(t, act.Package, d)
			seen[d.Category] = true
		}
		if act.Package.ForTest == "" && !strings.HasPrefix(act.Package.PkgPath, "directive/") {
			fixFiles(t, act, fixed)
		}
	}
	for _, c := range analyzer.Catalogue() {
		for _, v := range c.Variants {
			if !seen[v.Category] {
				t.Errorf("no fixture is reported as %s", v.Category)
			}
		}
	}
	compareDiffs(t, dir, fixed)
	secondRun(t, dir, fixed, first)
}

// checkPatterns name the fixtures of the checks.
func checkPatterns() []string {
	var patterns []string
	for _, name := range analyzer.Checks() {
		patterns = append(patterns, name+"/...")
	}
	return patterns
}

// wellFormed checks what must be true of every diagnostic: it spans something, its related
// places are steps of a schedule and then reasons, and it has one fix or says why none.
func wellFormed(t *testing.T, pkg *packages.Package, d analysis.Diagnostic) {
	at := pkg.Fset.Position(d.Pos)
	if d.End <= d.Pos {
		t.Errorf("%s: the diagnostic has no width", at)
	}
	if strings.HasPrefix(d.Category, "directive/") {
		return
	}
	steps, reasons := 0, 0
	for _, r := range d.Related {
		if !r.Pos.IsValid() {
			t.Errorf("%s: %q has no place", at, r.Message)
		}
		switch {
		case strings.HasPrefix(r.Message, fmt.Sprintf("%d. ", steps+1)) && reasons == 0:
			steps++
		case steps > 0:
			reasons++
		default:
			t.Errorf("%s: %q is neither a step nor a reason", at, r.Message)
		}
	}
	if steps < 2 || reasons < 1 {
		t.Errorf("%s: %d steps and %d reasons", at, steps, reasons)
	}
	if nofix := strings.Contains(d.Message, "(no fix: "); len(d.SuggestedFixes) > 1 || nofix == (len(d.SuggestedFixes) == 1) {
		t.Errorf("%s: %d fixes, and the message is %q", at, len(d.SuggestedFixes), d.Message)
	}
	if strings.Contains(d.Message, "…") {
		t.Errorf("%s: the message does not name the file: %s", at, d.Message)
	}
	check, _, _ := strings.Cut(d.Category, "/")
	if tell := stories[check]; tell != nil && strings.HasPrefix(pkg.PkgPath, check+"/") {
		tell(t, pkg.Fset, d)
	}
}

// A line is one of a source file.
type line struct {
	file string
	line int
}

// wanted compares the diagnostics of a package with the comments that want them: as
// many on each line, and each matches one of the expressions there. Notes count as the others do: which
// finding is one follows from the weights, and changes with them.
func wanted(t *testing.T, act *checker.Action) {
	at := func(pos token.Pos) line {
		p := act.Package.Fset.Position(pos)
		return line{p.Filename, p.Line}
	}
	want := expectations(t, act.Package, at)
	for _, d := range act.Diagnostics {
		l := at(d.Pos)
		i := slices.IndexFunc(want[l], func(e *regexp.Regexp) bool { return e.MatchString(d.Message) })
		if i < 0 {
			t.Errorf("%s:%d: reported, and not wanted: %s", l.file, l.line, d.Message)
			continue
		}
		want[l] = slices.Delete(want[l], i, i+1)
	}
	for l, left := range want {
		for _, e := range left {
			t.Errorf("%s:%d: wanted, and not reported: %s", l.file, l.line, e)
		}
	}
}

// expectations reads the comments of a package that want diagnostics.
func expectations(
	t *testing.T,
	pkg *packages.Package,
	at func(token.Pos) line,
) map[line][]*regexp.Regexp {
	want := map[line][]*regexp.Regexp{}
	for _, file := range pkg.Syntax {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				_, text, ok := strings.Cut(comment.Text, "// want ")
				if !ok {
					text, ok = strings.CutPrefix(strings.TrimSuffix(comment.Text, "*/"), "/* want ")
				}
				if !ok {
					continue
				}
				parts := strings.Split(text, "`")
				if len(parts) < 3 || len(parts)%2 == 0 || strings.TrimSpace(parts[0]) != "" {
					t.Errorf("%s: %q is no list of expressions in backquotes", pkg.Fset.Position(comment.Pos()), text)
				}
				for i := 1; i < len(parts); i += 2 {
					expression, err := regexp.Compile(parts[i])
					if err != nil {
						t.Fatalf("%s: %v", pkg.Fset.Position(comment.Pos()), err)
					}
					want[at(comment.Pos())] = append(want[at(comment.Pos())], expression)
				}
			}
		}
	}
	return want
}

// fixFiles adds the files of a package that its fixes change, with what they make of them.
func fixFiles(t *testing.T, act *checker.Action, fixed map[string][]byte) {
	fset := act.Package.Fset
	for _, file := range act.Package.Syntax {
		name := fset.File(file.FileStart).Name()
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := applyFixes(fset, name, src, act.Diagnostics)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(text, src) {
			fixed[name] = text
		}
	}
}

// applyFixes applies the fixes to one file: equal edits once, and no two others may
// overlap.
func applyFixes(fset *token.FileSet, name string, src []byte, ds []analysis.Diagnostic) ([]byte, error) {
	type edit struct {
		start, end int
		text       string
	}
	var edits []edit
	for _, d := range ds {
		for _, fix := range d.SuggestedFixes {
			for _, e := range fix.TextEdits {
				f := fset.File(e.Pos)
				if n := (edit{f.Offset(e.Pos), f.Offset(e.End), string(e.NewText)}); f.Name() == name && !slices.Contains(edits, n) {
					edits = append(edits, n)
				}
			}
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.start < at {
			return nil, fmt.Errorf("edits overlap at offset %d", e.start)
		}
		out.Write(src[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(src[at:])
	if f, err := format.Source(out.Bytes()); err != nil || !bytes.Equal(f, out.Bytes()) {
		return out.Bytes(), fmt.Errorf("fixed, it is not formatted (%v):\n%s", err, out.Bytes())
	}
	return out.Bytes(), nil
}

// compareDiffs compares what the fixes change with the diffs of the archives, or writes these.
func compareDiffs(t *testing.T, gopath string, fixed map[string][]byte) {
	archives, err := fixtures.Archives("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for path, archive := range archives {
		ar, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		var diff, want []byte
		files := slices.DeleteFunc(slices.Clone(ar.Files), func(f txtar.File) bool { return f.Name == fixtures.Diff })
		for _, f := range files {
			text, ok := fixed[filepath.Join(gopath, "src", path, f.Name)]
			if !ok {
				continue
			}
			diff = append(diff, linediff.Unified(f.Name, f.Name, string(f.Data), string(text), 1)...)
		}
		if i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == fixtures.Diff }); i >= 0 {
			want = ar.Files[i].Data
		}
		if bytes.Equal(diff, want) {
			continue
		}
		if !*update {
			t.Errorf("%s: the fixes change\n%s\nand the archive says (-update writes it)\n%s", archive, diff, want)
			continue
		}
		if ar.Files = files; len(diff) > 0 {
			ar.Files = append(files, txtar.File{Name: fixtures.Diff, Data: diff})
		}
		if err := os.WriteFile(archive, txtar.Format(ar), 0o666); err != nil {
			t.Error(err)
		}
	}
}

// secondRun makes the fixes and analyses the result, beside safeio.
func secondRun(t *testing.T, gopath string, fixed map[string][]byte, first *checker.Graph) {
	for name, text := range fixed {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	copySafeio(t, filepath.Join(gopath, "src", filepath.FromSlash(analyzer.DefaultSafeio)))
	unfixed, left := []string{}, []string{}
	for _, act := range first.Roots {
		if strings.HasPrefix(act.Package.PkgPath, "directive/") {
			continue // made to be reported, not to be fixed
		}
		for _, d := range act.Diagnostics {
			if len(d.SuggestedFixes) == 0 {
				unfixed = append(unfixed, unplaced(act, d))
			}
		}
	}
	patterns := slices.DeleteFunc(checkPatterns(), func(p string) bool { return p == "directive/..." })
	second := run(t, loadIn(t, gopath, true, append(patterns, analyzer.DefaultSafeio)...))
	for _, act := range second.Roots {
		for _, d := range act.Diagnostics {
			left = append(left, unplaced(act, d))
			if len(d.SuggestedFixes) > 0 {
				t.Errorf("a second run still offers to fix %s", unplaced(act, d))
			}
		}
	}
	slices.Sort(unfixed)
	slices.Sort(left)
	if d := differing(unfixed, left); d != "" {
		t.Errorf("after the fixes, a second run reports%s", d)
	}
}

// lineNumber is a place in a message, which is another where something was fixed above it.
var lineNumber = regexp.MustCompile(`\.go:\d+`)

// tearing is what spoils a file: its own writer does so no more where that is fixed.
var tearing = regexp.MustCompile(`one (torn read|bad edit)`)

// unplaced is a diagnostic without its line, and without what a fix elsewhere changes in it.
func unplaced(act *checker.Action, d analysis.Diagnostic) string {
	name := filepath.Base(act.Package.Fset.Position(d.Pos).Filename)
	message := tearing.ReplaceAllString(lineNumber.ReplaceAllString(d.Message, ".go"), "")
	return act.Package.PkgPath + "/" + name + ": " + message
}

// copySafeio puts the sources of package safeio in the place of what stands in for it.
func copySafeio(t *testing.T, dir string) {
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("../safeio/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files in safeio, %v", len(names), err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
