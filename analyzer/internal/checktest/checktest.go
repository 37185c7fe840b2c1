// Package checktest runs a check over its fixtures, for the tests of the checks.
package checktest

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/format"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/finding"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A Check is a check under test: its fixtures are the packages below
// testdata/src/<Name>, where every check runs, as for a user.
type Check struct {
	Name string
	// Doc is the source of the check's documentation, which lists its variants.
	Doc string
	// Category is what a diagnostic that stands in the fixture is to be; nil
	// where the fixtures are packages named for variants, or say it in "want".
	Category func(d analysis.Diagnostic) string
	// Diagnostic is what else must be true of a diagnostic; nil for nothing.
	Diagnostic func(t *testing.T, fset *token.FileSet, d analysis.Diagnostic)
	// Memory says that every schedule tells what memory holds.
	Memory bool
	// Goldens is the number of golden files that there are at least.
	Goldens int
}

// fixtures analyses the fixtures of a check, once for all tests of a package.
func (c Check) fixtures(t *testing.T) []*checker.Action {
	once.Do(func() { all = Analyse(t, WithNotes(analyzer.New()), Load(t, testdata(t), c.Name+"/...")) })
	if len(all) == 0 || !strings.HasPrefix(all[0].Package.PkgPath, c.Name+"/") {
		t.Fatalf("the fixtures are not those of %s", c.Name)
	}
	return all
}

var (
	once sync.Once
	all  []*checker.Action
)

// testdata is the GOPATH of the fixtures.
func testdata(t *testing.T) string {
	dir, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Fixtures runs the checks over the fixtures: each line marked "want" is
// reported, in its category, and nothing else is; and the fixes make each file
// its golden file.
func (c Check) Fixtures(t *testing.T) {
	c.Reported(t)
	for _, act := range c.fixtures(t) {
		for _, d := range act.Diagnostics {
			c.diagnostic(t, act.Package, d)
		}
		goldens(t, act)
	}
}

// Reported checks what is reported in the fixtures, and that each variant is.
//
// The packages come from export data, but for the fixtures. What a driver makes of
// them that analyses all they import is tested in package analyzer, once for all
// checks: that takes as long as several checks do here.
func (c Check) Reported(t *testing.T) {
	seen := map[string]bool{}
	for _, act := range c.fixtures(t) {
		wanted(t, act)
		for _, d := range act.Diagnostics {
			seen[d.Category] = true
		}
	}
	for _, v := range c.Variants(t) {
		if !seen[v] {
			t.Errorf("no fixture is reported as %s", v)
		}
	}
}

// Variants lists the categories that the documentation of the check lists.
func (c Check) Variants(t *testing.T) []string {
	var list []string
	for _, m := range regexp.MustCompile(`//   - (`+c.Name+`/\w+):`).FindAllStringSubmatch(c.Doc, -1) {
		list = append(list, m[1])
	}
	if len(list) == 0 {
		t.Fatalf("the documentation of %s lists no variants", c.Name)
	}
	return list
}

// category is what a fixture's diagnostic is to be of: its package's name where
// that is a variant, or what the check says.
func (c Check) category(t *testing.T, pkg *packages.Package, d analysis.Diagnostic) string {
	name := c.Name + "/" + pkg.Name
	switch {
	case slices.Contains(c.Variants(t), name):
		return name
	case c.Category != nil:
		return c.Category(d)
	}
	return d.Category
}

// diagnostic checks what must be true of every diagnostic.
func (c Check) diagnostic(t *testing.T, pkg *packages.Package, d analysis.Diagnostic) {
	at := pkg.Fset.Position(d.Pos)
	if want := c.category(t, pkg, d); d.Category != want {
		t.Errorf("%s: category %s, want %s", at, d.Category, want)
	}
	if d.End <= d.Pos {
		t.Errorf("%s: the diagnostic has no width", at)
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
	if c.Memory && !slices.ContainsFunc(d.Related, func(r analysis.RelatedInformation) bool { return strings.Contains(r.Message, "; memory holds ") }) {
		t.Errorf("%s: the schedule does not say what memory holds", at)
	}
	if nofix := strings.Contains(d.Message, "(no fix: "); len(d.SuggestedFixes) > 1 || nofix == (len(d.SuggestedFixes) == 1) {
		t.Errorf("%s: %d fixes, and the message is %q", at, len(d.SuggestedFixes), d.Message)
	}
	if strings.Contains(d.Message, "…") {
		t.Errorf("%s: the message does not name the file: %s", at, d.Message)
	}
	if c.Diagnostic != nil {
		c.Diagnostic(t, pkg.Fset, d)
	}
}

// wanted compares the diagnostics of a package with the comments that want them: as
// many on each line, and each matches one of the expressions there. A comment of severities
// alone says that the findings of its line have these.
func wanted(t *testing.T, act *checker.Action) {
	type line struct {
		file string
		line int
	}
	want, weighs := make(map[line][]*regexp.Regexp), make(map[line]string)
	at := func(pos token.Pos) line {
		p := act.Package.Fset.Position(pos)
		return line{p.Filename, p.Line}
	}
	for _, file := range act.Package.Syntax {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				if severities.MatchString(comment.Text) {
					weighs[at(comment.Pos())] = comment.Text
				}
				_, text, ok := strings.Cut(comment.Text, "// want ")
				if !ok {
					text, ok = strings.CutPrefix(strings.TrimSuffix(comment.Text, "*/"), "/* want ")
				}
				if !ok {
					continue
				}
				parts := strings.Split(text, "`")
				if len(parts) < 3 || len(parts)%2 == 0 || strings.TrimSpace(parts[0]) != "" {
					t.Errorf("%s: what %q wants cannot be told", act.Package.Fset.Position(comment.Pos()), text)
				}
				for i := 1; i < len(parts); i += 2 {
					expression, err := regexp.Compile(parts[i])
					if err != nil {
						t.Fatalf("%s: %v", act.Package.Fset.Position(comment.Pos()), err)
					}
					want[at(comment.Pos())] = append(want[at(comment.Pos())], expression)
				}
			}
		}
	}
	for _, d := range act.Diagnostics {
		l := at(d.Pos)
		i := slices.IndexFunc(want[l], func(e *regexp.Regexp) bool { return e.MatchString(d.Message) })
		if i < 0 {
			t.Errorf("%s:%d: reported, and not wanted: %s", l.file, l.line, d.Message)
			continue
		}
		if got := severity(act, d); weighs[l] != "" && !strings.Contains(weighs[l], got) {
			t.Errorf("%s:%d: its severity is %s, and not %s: %s", l.file, l.line, got, weighs[l], d.Message)
		}
		want[l] = slices.Delete(want[l], i, i+1)
	}
	for l, left := range want {
		for _, e := range left {
			t.Errorf("%s:%d: wanted, and not reported: %s", l.file, l.line, e)
		}
	}
}

// severities matches a comment that says how much the findings of a line count.
var severities = regexp.MustCompile(`^/\* ((error|warning|note) )+\*/$`)

// severity is that of the finding which is reported as a diagnostic.
func severity(act *checker.Action, d analysis.Diagnostic) string {
	for _, f := range act.Result.(*analyzer.Result).Findings {
		if f.Pos == d.Pos && f.Category() == d.Category {
			return string(cmp.Or(f.Severity, finding.Error))
		}
	}
	return ""
}

// goldens compares each fixed file with its golden file byte for byte:
// analysistest formats what it compares and takes unused imports out first.
func goldens(t *testing.T, act *checker.Action) {
	fset := act.Package.Fset
	for _, file := range act.Package.Syntax {
		name := fset.File(file.FileStart).Name()
		if strings.HasSuffix(name, "_test.go") || !strings.Contains(name, "/testdata/src/") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fixed, err := applyFixes(fset, name, src, act.Diagnostics)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		golden := name + ".golden"
		want, err := os.ReadFile(golden)
		switch {
		case *update && bytes.Equal(src, fixed):
			os.Remove(golden)
		case *update:
			if err := os.WriteFile(golden, fixed, 0o666); err != nil {
				t.Error(err)
			}
		case err != nil && !bytes.Equal(src, fixed):
			t.Errorf("%s is fixed and has no golden file; try -update", name)
		case err == nil && bytes.Equal(src, fixed):
			t.Errorf("%s is not fixed and has a golden file", name)
		case err == nil && !bytes.Equal(want, fixed):
			t.Errorf("%s: fixed, it is\n%s", name, fixed)
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
	slices.SortFunc(edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
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

// Fixed puts the golden files in the place of the fixtures, beside the
// package safeio that fixed programs import: all of it compiles, and a second
// run over it reports nothing but what the first had no fix for, and nothing in
// safeio itself.
func (c Check) Fixed(t *testing.T) {
	gopath := t.TempDir()
	fixtures := filepath.Join(testdata(t), "src", c.Name)
	if n := copyFixtures(t, fixtures, filepath.Join(gopath, "src", c.Name)); n < c.Goldens {
		t.Fatalf("%d golden files", n)
	}
	for _, host := range []string{"github.com", "golang.org", "gopkg.in", "k8s.io"} {
		copyStubs(t, filepath.Join(testdata(t), "src", host), filepath.Join(gopath, "src", host))
	}
	copyFixtures(t, filepath.Join(testdata(t), "..", "safeio"), filepath.Join(gopath, "src", "github.com", "lockvet", "lockvet", "safeio"))

	var unfixed []string
	for _, act := range c.fixtures(t) {
		if act.Package.ForTest != "" {
			continue // what stands in tests is not copied
		}
		for _, r := range reports(act) {
			if !r.fix {
				unfixed = append(unfixed, lasting(r.text))
			}
		}
	}
	var left []string
	for _, act := range Analyse(t, WithNotes(analyzer.New()), Load(t, gopath, c.Name+"/...", "github.com/lockvet/lockvet/safeio")) {
		for _, r := range reports(act) {
			left = append(left, lasting(r.text))
			if r.fix {
				t.Errorf("a second run still offers to fix %s", r.text)
			}
		}
	}
	slices.Sort(unfixed)
	slices.Sort(left)
	if !slices.Equal(unfixed, left) {
		t.Errorf("no fix is offered for\n%s\nand a second run reports\n%s", strings.Join(unfixed, "\n"), strings.Join(left, "\n"))
	}
}

// lasting is a message without what a fix elsewhere changes in it.
func lasting(text string) string {
	return tearing.ReplaceAllString(place.ReplaceAllString(text, ".go"), "")
}

// place is a place in a message, which is another where something was fixed above it.
var place = regexp.MustCompile(`\.go:\d+`)

// tearing is what spoils a file: its own writer does so no more where that is fixed.
var tearing = regexp.MustCompile(`one (torn read|bad edit)`)

// copyStubs copies what stands in for other people's packages.
func copyStubs(t *testing.T, from, to string) {
	owners, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range owners {
		if o.Name() != "lockvet" {
			copyFixtures(t, filepath.Join(from, o.Name()), filepath.Join(to, o.Name()))
		}
	}
}

// A report is a diagnostic without its line, which a fix can move.
type report struct {
	text string
	fix  bool
}

func reports(act *checker.Action) []report {
	var list []report
	for _, d := range act.Diagnostics {
		name := filepath.Base(act.Package.Fset.Position(d.Pos).Filename)
		list = append(list, report{name + ": " + d.Message, len(d.SuggestedFixes) > 0})
	}
	return list
}

// Lines runs a pass over the fixtures of the check, and lists where it reports
// something: "quiet/quiet.go:12".
func (c Check) Lines(t *testing.T, a *analysis.Analyzer) []string {
	var list []string
	for _, act := range Analyse(t, a, Load(t, testdata(t), c.Name+"/...")) {
		for _, d := range act.Diagnostics {
			at := act.Package.Fset.Position(d.Pos)
			list = append(list, fmt.Sprintf("%s/%s:%d: %s", filepath.Base(filepath.Dir(at.Filename)), filepath.Base(at.Filename), at.Line, d.Category))
		}
	}
	return list
}

// Load type-checks packages of a GOPATH and their tests as the command does: those
// that the patterns name from source, everything else from export data.
func Load(t testing.TB, gopath string, patterns ...string) []*packages.Package {
	cfg := &packages.Config{
		Mode: packages.LoadSyntax | packages.NeedModule | packages.NeedForTest, Dir: gopath, Tests: true,
		Env: append(os.Environ(), "GOPATH="+gopath, "GO111MODULE=off", "GOWORK=off"),
	}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 {
		t.Fatal("a file does not compile")
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool { return strings.HasSuffix(p.ID, ".test") })
	prune(pkgs)
	return pkgs
}

// WithNotes has a pass report notes, too, which it leaves to drivers that ask for its result.
func WithNotes(a *analysis.Analyzer) *analysis.Analyzer {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		result, err := run(pass)
		if r, ok := result.(*analyzer.Result); ok && err == nil {
			for _, f := range r.Findings {
				if f.Severity == finding.Note {
					pass.Report(f.Diagnostic())
				}
			}
		}
		return result, err
	}
	return a
}

// Analyse runs a pass over packages that Load has loaded.
func Analyse(t testing.TB, a *analysis.Analyzer, pkgs []*packages.Package) []*checker.Action {
	graph, err := checker.Analyze([]*analysis.Analyzer{a}, pkgs, &checker.Options{SanityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Errorf("%s: %v", act.Package, act.Err)
		}
	}
	return graph.Roots
}

// copyFixtures copies a tree of Go files without tests, and those that have a
// golden file in its form. It counts the latter.
func copyFixtures(t *testing.T, from, to string) (goldens int) {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path + ".golden")
		if err == nil {
			goldens++
		} else if data, err = os.ReadFile(path); err != nil {
			return err
		}
		dest := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(dest), 0o777); err != nil {
			return err
		}
		return os.WriteFile(dest, data, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	return goldens
}

// prune cuts the import edges that leave the packages, as the command does.
func prune(pkgs []*packages.Package) {
	for _, p := range pkgs {
		for path, imp := range p.Imports {
			if !slices.Contains(pkgs, imp) {
				delete(p.Imports, path)
			}
		}
	}
}
