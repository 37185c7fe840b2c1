package analyzer_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/srctest"
)

// A fixture is one package of the fixtures, the hard programs or the seeds.
type fixture struct {
	dir, path string
	files     []srctest.File
}

var every = flag.Bool("every", false, "have TestStable analyse all fixtures, not one in nine")

// variable are packages that can be type-checked with what stands beside them: the hard
// programs, the seeds and one in nine of the fixtures, which are in src.
func variable(t *testing.T, src string) []fixture {
	t.Helper()
	var list []fixture
	for _, root := range []string{"../testdata/hard", "../testdata/seeds", src} {
		n := 0
		err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			files, err := srctest.Sources(dir)
			if n++; err != nil || root == src && n%9 != 0 && !*every {
				return nil
			}
			path, err := filepath.Rel(root, dir)
			if root != src {
				path = "example.com/agent/" + path
			}
			list = append(list, fixture{dir, filepath.ToSlash(path), files})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestStable checks that lockvet says the same of a program each time, word for word; where
// what it looked at is kept; where files, declarations and cases are written in another order:
// the same findings in the same functions, as severe, and fixed or not for the same reason.
// With too few steps it reports what it reports without the checks that it gave up on.
func TestStable(t *testing.T) {
	t.Parallel()
	src := filepath.Join(gopath(t), "src")
	withFixtures := func() *srctest.Packages {
		p := srctest.New()
		p.Root = src
		return p
	}
	checked, found := 0, 0
	for _, p := range variable(t, src) {
		pass, err := withFixtures().CheckFiles(p.path, p.files)
		if err != nil {
			continue // it imports a module that is not here
		}
		checked++
		t.Run(p.path, func(t *testing.T) {
			first := analysePass(t, *pass, p.files)
			want := first.places()
			found += len(want)
			for range 3 {
				if again := analysePass(t, *pass, p.files); again.String() != first.String() {
					t.Errorf("two runs differ:\n%s\nand\n%s", first, again)
				}
			}
			kept := analysePass(t, *pass, p.files, "candidates", "true")
			if got := kept.places(); !slices.Equal(got, want) {
				t.Errorf("with its candidates kept: %s", differing(want, got))
			}
			for _, c := range kept.result.Candidates {
				if !c.Pos.IsValid() {
					t.Errorf("%s in %s has no place, which lockvet why needs", c.Category(), c.Func)
				}
			}
			for seed := range int64(3) {
				files := permuted(t, p.files, rand.New(rand.NewSource(seed)))
				if got := analyse(t, withFixtures(), p.path, files).places(); !slices.Equal(got, want) {
					t.Errorf("in order %d: %s", seed, differing(want, got))
					dump(t, p, seed, files)
				}
			}
			cutShort(t, *pass, p.files, first)
		})
	}
	if checked < 35 || found < 80 {
		t.Errorf("%d findings in %d programs were compared, want at least 80 in 35", found, checked)
	}
}

// cutShort analyses a program with 1, 8, 64 … steps, until these are enough. However few they
// are, the analysis ends. It reports what it reports without the checks that it gave up on,
// and says so of them.
func cutShort(t *testing.T, pass analysis.Pass, files []srctest.File, all *report) {
	const factor = 8
	without := map[string][]string{"": all.lines()}
	for steps := 1; steps/factor <= all.result.Steps; steps *= factor {
		r := analysePass(t, pass, files, "budget", strconv.Itoa(steps))
		if all.result.Steps <= steps && !slices.Equal(r.result.GaveUp, all.result.GaveUp) {
			t.Errorf(
				"with %d steps of %d that it takes it gave up on %v, and else on %v",
				steps,
				all.result.Steps,
				r.result.GaveUp,
				all.result.GaveUp,
			)
		}
		if steps == 1 && all.result.Steps > 1 && len(r.result.GaveUp) == 0 {
			t.Error("with one step it gave up on nothing")
		}
		cut := r.checksGivenUp()
		if without[cut] == nil {
			without[cut] = analysePass(t, pass, files, "disable", cut).lines()
		}
		if got, want := r.lines(), without[cut]; !slices.Equal(got, want) {
			t.Errorf("with %d steps it gave up on the checks %q and reports %v, want %v", steps, cut, got, want)
		}
	}
}

// checksGivenUp names the checks that the analysis says it gave up on.
func (r *report) checksGivenUp() string {
	for _, g := range r.result.GaveUp {
		if list, ok := strings.CutPrefix(g.Question, "the checks "); ok {
			return list
		}
	}
	return ""
}

// String is all that is reported, word for word, with the edits.
func (r *report) String() string {
	var b strings.Builder
	for _, d := range r.diagnostics {
		fmt.Fprintf(&b, "%s %s %s\n", r.pass.Fset.Position(d.Pos), d.Category, d.Message)
		for _, rel := range d.Related {
			fmt.Fprintf(&b, "\t%s %s\n", r.pass.Fset.Position(rel.Pos), rel.Message)
		}
		for _, fix := range d.SuggestedFixes {
			for _, e := range fix.TextEdits {
				fmt.Fprintf(&b, "\t%s %q\n", r.pass.Fset.Position(e.Pos), e.NewText)
			}
		}
	}
	return b.String()
}

// dump writes what was analysed where LOCKVET_DUMP says, for who looks for the reason.
func dump(t *testing.T, p fixture, seed int64, files []srctest.File) {
	dir := os.Getenv("LOCKVET_DUMP")
	if dir == "" {
		return
	}
	dir = filepath.Join(dir, fmt.Sprintf("%s-%d", filepath.Base(p.dir), seed))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(f.Source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// differing is what is gone and what is new, line by line.
func differing(want, got []string) string {
	var b strings.Builder
	count := map[string]int{}
	for _, s := range got {
		count[s]++
	}
	for _, s := range want {
		count[s]--
	}
	for _, s := range slices.Sorted(func(yield func(string) bool) {
		for s := range count {
			if !yield(s) {
				return
			}
		}
	}) {
		if n := count[s]; n != 0 {
			fmt.Fprintf(&b, "\n\t%+d %s", n, s)
		}
	}
	return b.String()
}

// permuted are the files in another order, with their declarations, and the cases of
// their switches over constants, in another order, too.
func permuted(t *testing.T, files []srctest.File, r *rand.Rand) []srctest.File {
	t.Helper()
	list := slices.Clone(files)
	for i, f := range list {
		list[i].Source = permutedSource(t, f.Source, r)
	}
	r.Shuffle(len(list), func(i, j int) { list[i].Source, list[j].Source = list[j].Source, list[i].Source })
	return list
}

func permutedSource(t *testing.T, src string, r *rand.Rand) string {
	t.Helper()
	src = reordered(t, src, r, caseGroups)
	return reordered(t, src, r, func(f *ast.File) [][]ast.Node {
		var decls []ast.Node
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				continue
			}
			decls = append(decls, d)
		}
		return [][]ast.Node{decls}
	})
}

// caseGroups are the clauses of each switch over constants whose order makes no
// difference, the innermost first.
func caseGroups(f *ast.File) [][]ast.Node {
	var groups [][]ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SwitchStmt)
		if !ok || s.Tag == nil {
			return true
		}
		var clauses []ast.Node
		for _, c := range s.Body.List {
			clause := c.(*ast.CaseClause)
			if slices.ContainsFunc(clause.List, func(e ast.Expr) bool { _, lit := e.(*ast.BasicLit); return !lit }) || falls(clause) {
				return true
			}
			clauses = append(clauses, c)
		}
		groups = append(groups, clauses)
		return true
	})
	slices.Reverse(groups)
	return groups
}

func falls(c *ast.CaseClause) bool {
	if len(c.Body) == 0 {
		return false
	}
	b, ok := c.Body[len(c.Body)-1].(*ast.BranchStmt)
	return ok && b.Tok == token.FALLTHROUGH
}

// reordered writes the nodes of each group in another order. A node comes with what
// stands between the end of the line on which the one before it ends and the end of its
// own last line. Groups are done one at a time: they may stand in each other.
func reordered(t *testing.T, src string, r *rand.Rand, groups func(*ast.File) [][]ast.Node) string {
	t.Helper()
	n := 1
	for i := 0; i < n; i++ {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all := groups(f)
		n = len(all)
		if i >= n || len(all[i]) < 2 {
			continue
		}
		lineEnd := func(pos token.Pos) int {
			at := fset.Position(pos).Offset
			if nl := strings.IndexByte(src[at:], '\n'); nl >= 0 {
				return at + nl + 1
			}
			return len(src)
		}
		nodes := all[i]
		start := fset.Position(begin(nodes[0])).Offset
		start = strings.LastIndexByte(src[:start], '\n') + 1
		var parts []string
		from := start
		for _, node := range nodes {
			end := lineEnd(node.End())
			parts = append(parts, src[from:end])
			from = end
		}
		if slices.ContainsFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" }) {
			continue // two on one line
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		var b bytes.Buffer
		b.WriteString(src[:start])
		for _, p := range parts {
			b.WriteString(p)
			if !strings.HasSuffix(p, "\n") {
				b.WriteByte('\n')
			}
		}
		b.WriteString(src[from:])
		src = b.String()
	}
	return src
}

// begin is where a node begins, its comment included.
func begin(n ast.Node) token.Pos {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Doc != nil {
			return n.Doc.Pos()
		}
	case *ast.GenDecl:
		if n.Doc != nil {
			return n.Doc.Pos()
		}
	}
	return n.Pos()
}
