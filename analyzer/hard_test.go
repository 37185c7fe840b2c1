package analyzer_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/srctest"
)

// hardSteps is what the analysis of a program in testdata/hard may take. None is larger
// than a screen or two, but for one with 140 calls.
const hardSteps = 60_000

// TestHard runs lockvet over programs that were made to crash, hang or confuse it. Each
// line that says "want" is reported in those categories, and nothing else is; the
// analysis ends within its steps and gives up on nothing.
func TestHard(t *testing.T) {
	dirs, err := filepath.Glob("../testdata/hard/*/a.go")
	if err != nil || len(dirs) < 23 {
		t.Fatalf("%d programs, %v", len(dirs), err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			files, err := srctest.Sources(dir)
			if err != nil {
				t.Fatal(err)
			}
			r := analyse(t, srctest.New(), "example.com/agent/"+filepath.Base(dir), files)
			if got, want := r.lines(), wantedLines(files); !slices.Equal(got, want) {
				t.Errorf("reports\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
			}
			if r.result.Steps > hardSteps || len(r.result.GaveUp) > 0 {
				t.Errorf("took %d steps, want at most %d; gave up on %v", r.result.Steps, hardSteps, r.result.GaveUp)
			}
		})
	}
}

// A report is what lockvet says of a package.
type report struct {
	pass        *analysis.Pass
	result      *analyzer.Result
	diagnostics []analysis.Diagnostic
}

// analyse runs all checks over a package, with flags: name, value, name, value …
func analyse(t *testing.T, packages *srctest.Packages, path string, files []srctest.File, flags ...string) *report {
	t.Helper()
	pass, err := packages.CheckFiles(path, files)
	if err != nil {
		t.Fatal(err)
	}
	return analysePass(t, *pass, files, flags...)
}

// analysePass is analyse for a package that is type-checked already.
func analysePass(t *testing.T, pass analysis.Pass, files []srctest.File, flags ...string) *report {
	t.Helper()
	r := &report{pass: &pass}
	pass.Analyzer = withAll(analyzer.New())
	for f := range slices.Chunk(flags, 2) {
		if err := pass.Analyzer.Flags.Set(f[0], f[1]); err != nil {
			t.Fatal(err)
		}
	}
	pass.Report = func(d analysis.Diagnostic) { r.diagnostics = append(r.diagnostics, d) }
	pass.ReadFile = func(name string) ([]byte, error) {
		for _, f := range files {
			if name == pass.Pkg.Path()+"/"+f.Name {
				return []byte(f.Source), nil
			}
		}
		return nil, os.ErrNotExist
	}
	res, err := pass.Analyzer.Run(&pass)
	if err != nil {
		t.Fatal(err)
	}
	r.result = res.(*analyzer.Result)
	return r
}

// lines are the diagnostics by file, line and category.
func (r *report) lines() []string {
	var list []string
	for _, d := range r.diagnostics {
		at := r.pass.Fset.Position(d.Pos)
		list = append(list, fmt.Sprintf("%s:%d: %s", filepath.Base(at.Filename), at.Line, d.Category))
	}
	slices.Sort(list)
	return list
}

// places are the same by function, category, severity and sentence, and whether there is
// a fix, or why not: what stays alike when a program is written in another order.
func (r *report) places() []string {
	var list []string
	for _, f := range r.result.Findings {
		list = append(
			list,
			fmt.Sprintf(
				"%s: %s, %v, fix %t %s",
				f.Func,
				f.Category(),
				f.Severity,
				f.Fix != nil,
				lineRef.ReplaceAllString(f.NoFix+"; "+f.Sentence, ""),
			),
		)
	}
	slices.Sort(list)
	return list
}

// lineRef is what another order of the source changes in a text.
var lineRef = regexp.MustCompile(`\w+\.go:\d+`)

// wantedLines are the lines that say "want", by file, line and category.
func wantedLines(files []srctest.File) []string {
	var list []string
	for _, f := range files {
		for n, line := range strings.Split(f.Source, "\n") {
			if _, categories, ok := strings.Cut(line, "// want "); ok {
				for _, c := range strings.Fields(categories) {
					list = append(list, fmt.Sprintf("%s:%d: %s", f.Name, n+1, c))
				}
			}
		}
	}
	slices.SortFunc(list, cmp.Compare)
	return list
}
