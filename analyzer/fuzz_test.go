package analyzer_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"

	"github.com/lockvet/lockvet/analyzer"
)

// FuzzSource takes any source that type-checks the whole road: no panic, and
// every fix compiles, alone and beside the others, until there is none left.
func FuzzSource(f *testing.F) {
	for _, src := range sources(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) < 16<<10 {
			walk(t, []byte(src))
		}
	})
}

// FuzzVariations does the same with programs that differ from a seed by moved,
// wrapped, lost and added statements: most changes of a program's bytes are no
// program.
func FuzzVariations(f *testing.F) {
	seeds := sources(f)
	for i := range seeds {
		for op := i % 5; op < len(variations)+len(additions); op += 5 {
			f.Add(uint(i), []byte{byte(op), byte(i), byte(7 * op), byte(op + i), byte(i), byte(3 * op)})
		}
	}
	f.Fuzz(func(t *testing.T, seed uint, ops []byte) {
		if len(ops) <= 30 {
			walk(t, vary([]byte(seeds[seed%uint(len(seeds))]), ops))
		}
	})
}

func walk(t *testing.T, text []byte) {
	p, err := check(text)
	if err != nil {
		return
	}
	if err := p.settle(); err != nil {
		t.Fatalf("%v\n-- source --\n%s", err, text)
	}
}

// TestShapes checks that what the fuzz target starts from is worth it: the
// seeds compile, and many of them are fixed.
func TestShapes(t *testing.T) {
	t.Parallel()
	fixed := 0
	for _, src := range sources(t) {
		p, err := check([]byte(src))
		if err != nil {
			if !needsOthers(err) {
				t.Errorf("%v\n%s", err, src)
			}
			continue
		}
		if err := p.settle(); err != nil {
			t.Errorf("%v\n-- source --\n%s", err, src)
		}
		if len(p.fixes) > 0 {
			fixed++
		}
	}
	if fixed < 25 {
		t.Errorf("only %d sources are fixed", fixed)
	}
}

// needsOthers reports whether a source is not checked because it needs another file of its
// package, or another package of the fixtures, of which no export data exists.
func needsOthers(err error) bool {
	return strings.Contains(err.Error(), "undefined: ") ||
		strings.Contains(err.Error(), "could not import tornwrite/") ||
		strings.Contains(err.Error(), "could not import github.com/") ||
		strings.Contains(err.Error(), "could not import golang.org/") ||
		strings.Contains(err.Error(), "could not import gopkg.in/") ||
		strings.Contains(err.Error(), "could not import k8s.io/")
}

// sources lists the fixtures of the check and of its fixes, and the shapes that
// stand in no fixture.
func sources(t testing.TB) []string {
	list := slices.Clone(shapes)
	err := filepath.WalkDir(filepath.Join(gopath(t), "src", "tornwrite"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(path, "/quiet/") {
			return err
		}
		data, err := os.ReadFile(path)
		list = append(list, string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	archives, err := filepath.Glob("../fixes/testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(ar.Files[0].Data))
	}
	return list
}

// A program is one file that type-checks, and what the analyzer says of it.
type program struct {
	text  []byte
	fset  *token.FileSet
	file  *ast.File
	pkg   *types.Package
	info  *types.Info
	fixes []analysis.SuggestedFix
	seen  []string
}

// imported serves the export data of the standard library and the real safeio,
// to one program at a time: the importer is not made for more.
type imported struct {
	mu     sync.Mutex
	std    types.Importer
	safeio *types.Package
}

func (i *imported) Import(path string) (*types.Package, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if path == analyzer.DefaultSafeio {
		return i.safeio, nil
	}
	return i.std.Import(path)
}

var exports = sync.OnceValues(func() (types.Importer, error) {
	i := &imported{std: importer.ForCompiler(token.NewFileSet(), "gc", nil)}
	dir, err := build.ImportDir("../safeio", 0)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range dir.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join("../safeio", name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: i.std}
	i.safeio, err = conf.Check(analyzer.DefaultSafeio, fset, files, nil)
	return i, err
})

func check(text []byte) (*program, error) {
	p := &program{text: text, fset: token.NewFileSet(), info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}}
	imp, err := exports()
	if err != nil {
		panic(err)
	}
	if p.file, err = parser.ParseFile(p.fset, "p.go", text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	conf := types.Config{Importer: imp, Sizes: types.SizesFor("gc", "amd64"), GoVersion: "go1.26"}
	p.pkg, err = conf.Check("example.com/agentd/p", p.fset, []*ast.File{p.file}, p.info)
	return p, err
}

// analyse runs the analyzer as a driver without facts.
func (p *program) analyse() error {
	a := analyzer.New()
	p.fixes, p.seen = nil, nil
	pass := &analysis.Pass{
		Analyzer: a, Fset: p.fset, Files: []*ast.File{p.file}, Pkg: p.pkg, TypesInfo: p.info,
		TypesSizes: types.SizesFor("gc", "amd64"), ResultOf: map[*analysis.Analyzer]any{},
		ReadFile:          func(string) ([]byte, error) { return p.text, nil },
		ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportObjectFact:  func(types.Object, analysis.Fact) {},
		ExportPackageFact: func(analysis.Fact) {},
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
		Report: func(d analysis.Diagnostic) {
			p.fixes = append(p.fixes, d.SuggestedFixes...)
			p.seen = append(p.seen, fmt.Sprintf("%s %s %s", p.fset.Position(d.Pos), d.Category, d.Message))
		},
	}
	_, err := a.Run(pass)
	return err
}

// settle fixes the program until nothing is left to fix.
func (p *program) settle() error {
	if err := p.analyse(); err != nil {
		return err
	}
	for _, fix := range p.fixes {
		if _, err := p.repair(fix); err != nil {
			return fmt.Errorf("one fix, %q: %v", fix.Message, err)
		}
	}
	for q, round := p, 0; len(q.fixes) > 0; round++ {
		if round == 4 {
			return fmt.Errorf("after four rounds there is still to fix:\n%s\n-- fixed --\n%s", strings.Join(q.seen, "\n"), q.text)
		}
		next, err := q.repair(q.fixes...)
		if err != nil {
			return fmt.Errorf("%d fixes in round %d: %v", len(q.fixes), round, err)
		}
		if err := next.analyse(); err != nil {
			return err
		}
		q = next
	}
	return nil
}

// repair applies fixes as the strictest driver does: equal edits once, and no
// others may touch. What comes out compiles and is as formatted as it was.
func (p *program) repair(fixes ...analysis.SuggestedFix) (*program, error) {
	type edit struct {
		start, end int
		text       string
	}
	var edits []edit
	tok := p.fset.File(p.file.FileStart)
	for _, f := range fixes {
		for _, e := range f.TextEdits {
			if n := (edit{tok.Offset(e.Pos), tok.Offset(e.End), string(e.NewText)}); !slices.Contains(edits, n) {
				edits = append(edits, n)
			}
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.start < at || e.end < e.start {
			return nil, fmt.Errorf("edits overlap at offset %d", e.start)
		}
		out.Write(p.text[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(p.text[at:])
	if bytes.Equal(out.Bytes(), p.text) {
		return nil, fmt.Errorf("the fix changes nothing")
	}
	fixed, err := check(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("fixed, it does not compile: %v\n-- fixed --\n%s", err, out.Bytes())
	}
	if formatted(p.text) && !formatted(out.Bytes()) {
		return nil, fmt.Errorf("fixed, it is not formatted\n-- fixed --\n%s", out.Bytes())
	}
	return fixed, nil
}

func formatted(text []byte) bool {
	f, err := format.Source(text)
	return err == nil && bytes.Equal(f, text)
}

// A place is a statement in a list of statements.
type place struct {
	start, end int
	next       int // the end of the statement behind it, 0 for the last
}

// variations change the statement at a place.
var variations = []func(text []byte, p place) []byte{
	func(text []byte, p place) []byte { return splice(text, p, "") },
	func(text []byte, p place) []byte { return around(text, p, "", "\n"+string(text[p.start:p.end])) },
	func(text []byte, p place) []byte { return around(text, p, "if len(os.Args) > 3 {\n", "\n}") },
	func(text []byte, p place) []byte { return around(text, p, "for range 3 {\n", "\n}") },
	func(text []byte, p place) []byte { return around(text, p, "func() {\n", "\n}()") },
	func(text []byte, p place) []byte { return around(text, p, "defer func() {\n", "\n}()") },
	func(text []byte, p place) []byte { return around(text, p, "go func() {\n", "\n}()") },
	func(text []byte, p place) []byte { return around(text, p, "switch {\ncase len(os.Args) > 3:\n", "\n}") },
	func(text []byte, p place) []byte { return around(text, p, "// before\n", " // behind") },
	func(text []byte, p place) []byte { return around(text, p, "defer ", "") },
	func(text []byte, p place) []byte { return around(text, p, "_ = ", "") },
	func(text []byte, p place) []byte { return around(text, p, "{\n", "\n}") },
	func(text []byte, p place) []byte {
		if p.next == 0 {
			return text
		}
		behind := strings.TrimSpace(string(text[p.end:p.next]))
		return splice(text, place{start: p.start, end: p.next}, behind+"\n"+string(text[p.start:p.end]))
	},
	func(text []byte, p place) []byte {
		return splice(text, p, strings.ReplaceAll(string(text[p.start:p.end]), "err := ", "err = "))
	},
	func(text []byte, p place) []byte {
		return splice(text, p, strings.ReplaceAll(string(text[p.start:p.end]), "err = ", "err := "))
	},
}

func splice(text []byte, p place, with string) []byte {
	return slices.Concat(text[:p.start], []byte(with), text[p.end:])
}

func around(text []byte, p place, before, behind string) []byte {
	return splice(text, p, before+string(text[p.start:p.end])+behind)
}

// additions are statements that stand in front of the one at a place, in the
// names that the seeds use.
var additions = []string{
	"f.Close()", "defer f.Close()", "f.Sync()", "_ = f", "f = nil", "f.Seek(0, 0)", "f.Truncate(0)", "_ = f.Chmod(0o600)",
	"if err := f.Close(); err != nil {\nreturn err\n}", "err = f.Close()", "_, _ = f.Stat()", "_, _ = f.WriteString(\"x\")",
	"os.Remove(tmp)", "os.Remove(path)", "os.Remove(f.Name())", "defer os.Remove(f.Name())", "defer os.Remove(tmp)",
	"os.Rename(path, path+\".bak\")", "_ = os.Chmod(tmp, 0o600)", "tmp := path + \".tmp\"", "path := \"config.json\"", "path = \"a\" + path",
	"return", "return nil", "return err", "panic(1)", "os.Exit(1)", "err := error(nil)\n_ = err", "var safeio int\n_ = safeio", "_ = err",
	"var os = map[string]int{}\n_ = os", "w := func() error { return f.Close() }\n_ = w", "g := f\n_ = g", "var x any = f\n_ = x",
}

// vary applies up to ten variations and additions: three bytes say which and
// where.
func vary(text, ops []byte) []byte {
	tidy := len(ops) >= 3 && ops[0]&64 == 0
	for ; len(ops) >= 3; ops = ops[3:] {
		places := statements(text)
		if len(places) == 0 {
			return text
		}
		at := places[(int(ops[1])<<8|int(ops[2]))%len(places)]
		if op := int(ops[0]) % (len(variations) + len(additions)); op < len(variations) {
			text = variations[op](text, at)
		} else {
			text = around(text, at, additions[op-len(variations)]+"\n", "")
		}
	}
	if f, err := format.Source(text); err == nil && tidy {
		return f
	}
	return text
}

// statements lists the places of a source, nothing where it does not parse.
func statements(text []byte) []place {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var places []place
	add := func(list []ast.Stmt) {
		for i, s := range list {
			p := place{start: fset.Position(s.Pos()).Offset, end: fset.Position(s.End()).Offset}
			if i+1 < len(list) {
				p.next = fset.Position(list[i+1].End()).Offset
			}
			if p.start < p.end && p.end <= len(text) {
				places = append(places, p)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			add(n.List)
		case *ast.CaseClause:
			add(n.Body)
		case *ast.CommClause:
			add(n.Body)
		}
		return true
	})
	return places
}
