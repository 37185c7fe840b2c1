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
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/srctest"
)

// A fixture is one package of the fixtures or the seeds.
type fixture struct {
	dir, path string
	files     []srctest.File
}

// variable are the packages of the fixtures, the hard programs and the seeds that can be
// type-checked with what stands beside them.
func variable(t *testing.T) []fixture {
	t.Helper()
	var list []fixture
	for _, root := range []string{"../testdata/src", "../testdata/hard", "../testdata/seeds"} {
		err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if files, err := srctest.Sources(dir); err == nil {
				path, _ := filepath.Rel(root, dir)
				if root != "../testdata/src" {
					path = "example.com/agent/" + path
				}
				list = append(list, fixture{dir, filepath.ToSlash(path), files})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// withFixtures is a set of packages with those that fixtures import.
func withFixtures() *srctest.Packages {
	p := srctest.New()
	p.Root = "../testdata/src"
	return p
}

// TestOrderOfSource checks that lockvet finds the same in a program whose files,
// declarations and cases are written in another order, and where what it looked at is kept:
// in the same functions, in the same words, as bad, and fixed or not for the same reason.
func TestOrderOfSource(t *testing.T) {
	t.Parallel()
	checked, found := 0, 0
	for _, p := range variable(t) {
		pass, err := withFixtures().CheckFiles(p.path, p.files)
		if err != nil {
			continue // it imports a module that is not here
		}
		checked++
		want := analysePass(t, *pass, p.files).places()
		found += len(want)
		if got := analysePass(t, *pass, p.files, "candidates", "true").places(); !slices.Equal(got, want) {
			t.Errorf("%s with its candidates kept: %s", p.dir, differing(want, got))
		}
		for seed := range int64(3) {
			files := permuted(t, p.files, rand.New(rand.NewSource(seed)))
			if got := analyse(t, withFixtures(), p.path, files).places(); !slices.Equal(got, want) {
				t.Errorf("%s in order %d: %s", p.dir, seed, differing(want, got))
				dump(t, p, seed, files)
			}
		}
	}
	if checked < 150 || found < 600 {
		t.Errorf("%d findings in %d programs were compared, want at least 600 in 150", found, checked)
	}
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

var runs = flag.Int("runs", 10, "how often TestRuns analyses each program")

// TestRuns checks that several analyses of a program say the same, word for word.
func TestRuns(t *testing.T) {
	t.Parallel()
	for _, p := range variable(t) {
		pass, err := withFixtures().CheckFiles(p.path, p.files)
		if err != nil {
			continue
		}
		var first string
		for range *runs {
			r := analysePass(t, *pass, p.files)
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
			if first == "" {
				first = b.String()
			}
			if b.String() != first {
				t.Errorf("%s: two runs differ:\n%s\nand\n%s", p.dir, first, b.String())
				break
			}
		}
	}
}
