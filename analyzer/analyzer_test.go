package analyzer_test

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"go/types"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/analyzer/directive"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/fixtures"
	"github.com/lockvet/lockvet/internal/state"
)

// gopath is a GOPATH with the fixtures.
func gopath(t testing.TB) string { return fixtures.GOPATH(t, "../testdata") }

// load type-checks fixtures as the command does: those from source, everything
// else from export data.
func load(t testing.TB, tests bool, patterns ...string) []*packages.Package {
	return loadIn(t, gopath(t), tests, patterns...)
}

// loadIn is load in a GOPATH.
func loadIn(t testing.TB, dir string, tests bool, patterns ...string) []*packages.Package {
	cfg := &packages.Config{
		Mode: packages.LoadSyntax | packages.NeedModule | packages.NeedForTest, Dir: dir, Tests: tests,
		Env: fixtures.Environ(dir),
	}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 {
		t.Fatal("a fixture does not compile")
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool { return strings.HasSuffix(p.ID, ".test") })
	inside := map[string]bool{}
	for _, p := range pkgs {
		inside[p.ID] = true
	}
	for _, p := range pkgs {
		maps.DeleteFunc(p.Imports, func(_ string, imp *packages.Package) bool { return !inside[imp.ID] })
	}
	return pkgs
}

// run analyses packages with flags given as name and value in turn.
func run(t testing.TB, pkgs []*packages.Package, flags ...string) *checker.Graph {
	a := withAll(analyzer.New())
	for i := 0; i < len(flags); i += 2 {
		if err := a.Flags.Set(flags[i], flags[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return analyseWith(t, a, pkgs)
}

// withAll has a pass report what it leaves to drivers that ask for its result, too: what is not worth a failed build, and
// fixes about which there is something to decide.
func withAll(a *analysis.Analyzer) *analysis.Analyzer {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		report := pass.Report
		pass.Report = func(analysis.Diagnostic) {}
		result, err := run(pass)
		if r, ok := result.(*analyzer.Result); ok && err == nil {
			for _, f := range r.Findings {
				d := f.Diagnostic()
				if f.Fix != nil {
					d.SuggestedFixes = []analysis.SuggestedFix{*f.Fix}
				}
				report(d)
			}
		}
		return result, err
	}
	return a
}

// analyseWith runs an analyzer over packages.
func analyseWith(t testing.TB, a *analysis.Analyzer, pkgs []*packages.Package) *checker.Graph {
	graph, err := checker.Analyze([]*analysis.Analyzer{a}, pkgs, &checker.Options{SanityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Errorf("%s: %v", act.Package, act.Err)
		}
	}
	return graph
}

// reported lists the lines that are reported: "state.go:10".
func reported(graph *checker.Graph) []string {
	var list []string
	for _, act := range graph.Roots {
		for _, d := range act.Diagnostics {
			at := act.Package.Fset.Position(d.Pos)
			list = append(list, fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// marked lists the lines of fixtures that are marked.
func marked(t testing.TB, pkgs []*packages.Package) []string {
	var list []string
	for _, p := range pkgs {
		for _, name := range p.CompiledGoFiles {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(data), "\n") {
				if strings.Contains(line, "// want ") {
					list = append(list, fmt.Sprintf("%s:%d", filepath.Base(name), i+1))
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestFlags runs fixtures that are reported with a flag and silent without it.
func TestFlags(t *testing.T) {
	flagged := load(t, false, "flags/state")
	inventory := load(t, true, "flags/inventory")
	inplace := load(t, false, "tornwrite/inplace")
	// The package together with its tests, and not what it is without them.
	given := slices.DeleteFunc(load(t, true, "tornwrite/given"), func(p *packages.Package) bool { return p.ForTest == "" })
	for _, c := range []struct {
		name  string
		pkgs  []*packages.Package
		flags []string
		want  []string
	}{
		{"no -state", flagged, nil, nil},
		{"-state", flagged, []string{"state", "^black"}, marked(t, flagged)},
		{"-state of another name", flagged, []string{"state", "^white"}, nil},
		{"-state taken back", flagged, []string{"state", "^black", "state", ""}, nil},
		{"no -tests", inventory, nil, nil},
		{"-tests", inventory, []string{"tests", "true"}, marked(t, inventory)},
		{"-tests with a test that assigns", given, []string{"tests", "true"}, marked(t, given)},
		{"no flags", inplace, nil, marked(t, inplace)},
		{"-enable", inplace, []string{"enable", "tornwrite"}, marked(t, inplace)},
		{"-enable of a variant", inplace, []string{"enable", "latelock,tornwrite/inplace"}, marked(t, inplace)},
		{"-enable of another variant", inplace, []string{"enable", "tornwrite/nosync"}, nil},
		{"-disable of a variant", inplace, []string{"disable", "tornwrite/inplace"}, nil},
		{"-disable of another variant", inplace, []string{"disable", "tornwrite/nosync"}, marked(t, inplace)},
		{"-disable", inplace, []string{"disable", "tornwrite"}, nil},
		{"-disable before -enable", inplace, []string{"disable", "tornwrite", "enable", "tornwrite"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := reported(run(t, c.pkgs, c.flags...)); !slices.Equal(got, c.want) {
				t.Errorf("reported are %v, want %v", got, c.want)
			}
		})
	}
}

func TestFlagErrors(t *testing.T) {
	for _, c := range []struct{ flag, value, want string }{
		{"enable", "tornwrit", "tornwrite"},
		{"disable", "tornwrite,all", `"all"`},
		{"enable", "tornwrite/inplase", `did you mean "tornwrite/inplace"?`},
		{"fix-only", "tornwrite/inplace", `"tornwrite/inplace"`},
		{"state", "(", "missing closing )"},
		{"budget", "0", `"0" is no number of steps`},
		{"budget", "many", `"many" is no number of steps`},
	} {
		a := analyzer.New()
		if err := a.Flags.Set(c.flag, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("-%s=%s: %v, want an error that says %s", c.flag, c.value, err, c.want)
		}
	}
}

// TestFailing checks that the pass leaves what is not worth a failed build to drivers that ask for its result.
func TestFailing(t *testing.T) {
	for _, act := range analyseWith(t, analyzer.New(), load(t, false, "lostupdate/severity/agentctl")).Roots {
		failing := 0
		for _, f := range act.Result.(*analyzer.Result).Findings {
			if state.FailsBuild(f) {
				failing++
			}
		}
		if all := len(act.Result.(*analyzer.Result).Findings); failing == all || len(act.Diagnostics) != failing {
			t.Errorf("%d findings, %d of them worth a failed build, and %d diagnostics", all, failing, len(act.Diagnostics))
		}
	}
}

// TestSafeioPath checks that fixes import the package that the flag names.
func TestSafeioPath(t *testing.T) {
	pkgs := load(t, false, "tornwrite/sibling")
	for _, act := range run(t, pkgs, "safeio", "example.com/agentd/internal/safeio").Roots {
		fixes := 0
		for _, d := range act.Diagnostics {
			for _, f := range d.SuggestedFixes {
				fixes++
				if !slices.ContainsFunc(f.TextEdits, func(e analysis.TextEdit) bool {
					return strings.Contains(string(e.NewText), `"example.com/agentd/internal/safeio"`)
				}) {
					t.Errorf("%s: no edit imports the package", d.Message)
				}
			}
		}
		if fixes == 0 {
			t.Error("nothing is fixed")
		}
	}
}

// TestTwoAnalyzers checks that flags belong to one analyzer: the package keeps
// nothing between two.
func TestTwoAnalyzers(t *testing.T) {
	state := load(t, false, "flags/state")
	run(t, state, "state", "^black", "disable", "tornwrite")
	if got := reported(run(t, state)); len(got) != 0 {
		t.Errorf("a second analyzer reports %v with the flags of the first", got)
	}
}

// TestWithoutFacts takes the facts from the analyzer: what a package does in
// another one is not known, and nothing is handed on.
func TestWithoutFacts(t *testing.T) {
	pkgs := load(t, false, "tornwrite/acrosspkg/...")
	whole := run(t, pkgs)
	a := analyzer.New()
	a.FactTypes = nil
	alone, err := checker.Analyze([]*analysis.Analyzer{a}, pkgs, &checker.Options{SanityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	if renderFacts(t, whole) == "" || renderFacts(t, alone) != "" {
		t.Error("facts are exported without fact types, or none with them")
	}
	if all, own := reported(whole), reported(alone); len(own) == 0 || len(own) >= len(all) {
		t.Errorf("reported are %v, and without facts %v", all, own)
	}
}

func TestExplain(t *testing.T) {
	if len(analyzer.Checks()) == 0 {
		t.Fatal("there are no checks")
	}
	for _, name := range analyzer.Checks() {
		text, err := analyzer.Explain(name)
		if err != nil {
			t.Error(err)
		}
		for _, part := range []string{"WRONG:", "RIGHT:", "silent", "safeio", "\n  - " + name + "/"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: the documentation has no %s", name, part)
			}
		}
		if doc := analyzer.New().Doc; !strings.Contains(doc, "\n"+name+": ") {
			t.Errorf("the analyzer's documentation does not mention %s", name)
		}
	}
	unfixed := []string{directive.Name, "droppedlock", "racycreate", "stalesnapshot", "tornappend"}
	for _, c := range analyzer.Catalogue() {
		if fixes := !slices.Contains(unfixed, c.Name); len(c.Variants) == 0 || fixes != (c.Stays != "") || fixes != (c.Review != "") {
			t.Errorf("%s: variants %v, what stays: %q, to review: %q", c.Name, c.Variants, c.Stays, c.Review)
		}
		for _, v := range c.Variants {
			if strings.Contains(v.Title, ". ") || !strings.HasSuffix(v.Title, ".") {
				t.Errorf("%s: the title %q is not one sentence", v.Category, v.Title)
			}
		}
	}
	if text, err := analyzer.Explain("tornwrite/nosync"); err != nil || !strings.HasPrefix(text, "tornwrite/nosync: ") {
		t.Errorf("a category is explained by %q, %v", text, err)
	}
	for _, name := range []string{"nothing", "tornwrite/nothing"} {
		if _, err := analyzer.Explain(name); err == nil || !strings.Contains(err.Error(), analyzer.Checks()[0]) {
			t.Errorf("the error for %s is %v", name, err)
		}
	}
	if err := analysis.Validate([]*analysis.Analyzer{analyzer.New()}); err != nil {
		t.Error(err)
	}
	if n := len(analyzer.New().Requires); n != 0 {
		t.Errorf("the analyzer requires %d others; each would run on every dependency", n)
	}
}

// TestResult checks that drivers which print more than diagnostics see the same
// findings.
func TestResult(t *testing.T) {
	for _, act := range run(t, load(t, false, "tornwrite/inplace", "tornwrite/quiet")).Roots {
		fs, ds := slices.Clone(act.Result.(*analyzer.Result).Findings), slices.Clone(act.Diagnostics)
		slices.SortStableFunc(ds, func(a, b analysis.Diagnostic) int {
			return cmp.Or(cmp.Compare(a.Pos, b.Pos), strings.Compare(a.Category, b.Category))
		})
		slices.SortStableFunc(fs, func(a, b *finding.Finding) int { return cmp.Compare(a.Pos, b.Pos) })
		if len(fs) == 0 || len(fs) != len(act.Diagnostics) {
			t.Fatalf("%d findings and %d diagnostics", len(fs), len(act.Diagnostics))
		}
		for i, f := range fs {
			if d := ds[i]; f.Pos != d.Pos || f.Category() != d.Category {
				t.Errorf("finding %s and diagnostic %s differ", f.Category(), d.Category)
			}
			if (f.Fix == nil) == (f.NoFix == "") {
				t.Errorf("%s: a fix and a reason for none, or neither", act.Package.Fset.Position(f.Pos))
			}
		}
	}
}

// TestDeterminism analyses many packages in several orders. What is reported
// and what the facts hold is the same to the byte.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	pkgs := load(t, false, "trunclock/...", "unflushed/...", "stalesnapshot/...", "clobber/...")
	var first, firstFacts string
	for seed := range int64(3) {
		rand.New(rand.NewSource(seed)).Shuffle(len(pkgs), func(i, j int) { pkgs[i], pkgs[j] = pkgs[j], pkgs[i] })
		graph := run(t, pkgs)
		text, facts := render(graph), renderFacts(t, graph)
		if seed == 0 {
			if len(text) < 10_000 || len(facts) < 1000 {
				t.Fatalf("%d bytes of diagnostics and %d of facts: too few to tell", len(text), len(facts))
			}
			first, firstFacts = text, facts
		}
		if text != first {
			t.Errorf("order %d: %s", seed, difference(first, text))
		}
		if facts != firstFacts {
			t.Errorf("facts, order %d: %s", seed, difference(firstFacts, facts))
		}
	}
}

// render writes all that a driver can print, sorted by package.
func render(graph *checker.Graph) string {
	var parts []string
	for _, act := range graph.Roots {
		var b strings.Builder
		fset := act.Package.Fset
		for _, d := range act.Diagnostics {
			fmt.Fprintf(&b, "%s-%s %s %s %s\n", fset.Position(d.Pos), fset.Position(d.End), d.Category, d.Message, d.URL)
			for _, r := range d.Related {
				fmt.Fprintf(&b, "\t%s %s\n", fset.Position(r.Pos), r.Message)
			}
			for _, f := range d.SuggestedFixes {
				fmt.Fprintf(&b, "\tfix %s\n", f.Message)
				for _, e := range f.TextEdits {
					fmt.Fprintf(&b, "\t\t%s-%s %q\n", fset.Position(e.Pos), fset.Position(e.End), e.NewText)
				}
			}
		}
		parts = append(parts, b.String())
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}

// renderFacts writes every fact as gob carries it.
func renderFacts(t *testing.T, graph *checker.Graph) string {
	var parts []string
	add := func(key string, fact analysis.Fact) {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(fact); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, fmt.Sprintf("%s %T %x\n", key, fact, b.Bytes()))
		// The fact that arrives is the one that was sent.
		back := reflect.New(reflect.TypeOf(fact).Elem()).Interface()
		if err := gob.NewDecoder(&b).Decode(back); err != nil {
			t.Fatal(err)
		}
	}
	for _, act := range graph.Roots {
		for _, f := range act.AllObjectFacts() {
			if fn, ok := f.Object.(*types.Func); ok && f.Object.Pkg() == act.Package.Types {
				add(fn.FullName(), f.Fact)
			}
		}
		for _, f := range act.AllPackageFacts() {
			if f.Package == act.Package.Types {
				add(f.Package.Path(), f.Fact)
			}
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}

func difference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return fmt.Sprintf("line %d is %q, and was %q", i, bs[i], as[i])
		}
	}
	return fmt.Sprintf("%d lines, and were %d", len(bs), len(as))
}

// The short documentation of the pass has the titles that the catalogue has, which
// reads them with a parser.
func TestDocHasTitles(t *testing.T) {
	doc := analyzer.New().Doc
	for _, c := range analyzer.Catalogue() {
		if line := "\n" + c.Name + ": " + c.Title; c.Title == "" || !strings.Contains(doc+"\n", line+"\n") {
			t.Errorf("%q is missing in\n%s", line, doc)
		}
	}
}
