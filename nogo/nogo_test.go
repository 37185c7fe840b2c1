package nogo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/facts"
	"github.com/lockvet/lockvet/internal/fixtures"
)

// TestPass drives the pass as nogo does: each package by itself, from its
// sources and the export data of its imports; no module, no ReadFile, no versions
// of files; nothing is known of the standard library, and of other packages what
// their own runs have left in a file.
func TestPass(t *testing.T) {
	b := newBuild(t, "tornwrite/acrosspkg/disk", "tornwrite/acrosspkg/known", "tornwrite/acrosspkg/agents", "tornwrite/acrosspkg/daemon")
	var reported []string
	fixes := 0
	for _, path := range b.order {
		for _, d := range b.run(path) {
			reported = append(reported, b.at(d.Pos))
			fixes += len(d.SuggestedFixes)
		}
	}
	note := "disk.go:17" // which is not reported
	want := slices.DeleteFunc(b.wanted(), func(at string) bool { return at == note })
	slices.Sort(reported)
	if len(want) == 0 || !slices.Equal(reported, want) {
		t.Errorf("reported: %v, want %v", reported, want)
	}
	if fixes == 0 {
		t.Error("no fix is offered; the sources could not be read")
	}
	if err := analysis.Validate([]*analysis.Analyzer{Analyzer}); err != nil {
		t.Error(err)
	}
}

// A build is the packages as Bazel has them.
type build struct {
	*testing.T
	fset   *token.FileSet
	order  []string
	srcs   map[string][]string // of the packages under analysis
	export map[string]string   // files, by import path
	left   string              // the directory with what runs have left
}

func newBuild(t *testing.T, order ...string) *build {
	b := &build{T: t, fset: token.NewFileSet(), order: order, srcs: map[string][]string{}, export: map[string]string{}, left: t.TempDir()}
	gopath := fixtures.GOPATH(t, "../testdata")
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles"}, order...)...)
	cmd.Env = fixtures.Environ(gopath)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Export, Dir string
			GoFiles                 []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return b
		} else if err != nil {
			t.Fatal(err)
		}
		b.export[p.ImportPath] = p.Export
		if slices.Contains(order, p.ImportPath) {
			for _, f := range p.GoFiles {
				b.srcs[p.ImportPath] = append(b.srcs[p.ImportPath], filepath.Join(p.Dir, f))
			}
		}
	}
}

// run analyses one package and leaves its facts in a file.
func (b *build) run(path string) []analysis.Diagnostic {
	var files []*ast.File
	for _, name := range b.srcs[path] {
		f, err := parser.ParseFile(b.fset, name, nil, parser.ParseComments)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Instances: map[*ast.Ident]types.Instance{},
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(b.export[path]) }
	conf := types.Config{Importer: importer.ForCompiler(b.fset, "gc", lookup)}
	pkg, err := conf.Check(path, b.fset, files, info)
	if err != nil {
		b.Fatal(err)
	}
	var found []analysis.Diagnostic
	pass := &analysis.Pass{
		Analyzer: Analyzer, Fset: b.fset, Files: files, Pkg: pkg, TypesInfo: info, TypesSizes: types.SizesFor("gc", "amd64"),
		ResultOf:        map[*analysis.Analyzer]any{},
		Report:          func(d analysis.Diagnostic) { found = append(found, d) },
		AllObjectFacts:  func() []analysis.ObjectFact { return nil },
		AllPackageFacts: func() []analysis.PackageFact { return nil },
	}
	known := b.readFacts(pkg)
	own := facts.Connect(pass, func(path string) facts.Set {
		if content, ok := known[path]; ok {
			return facts.Decode(content)
		}
		return facts.Set{}
	})
	result, err := Analyzer.Run(pass)
	if err != nil || reflect.TypeOf(result) != Analyzer.ResultType {
		b.Fatalf("%s: %T, %v", path, result, err)
	}
	if known[path], err = own.Encode(); err != nil {
		b.Fatal(err)
	}
	b.writeFacts(path, known)
	return found
}

// at is a place as "file.go:12".
func (b *build) at(pos token.Pos) string {
	at := b.fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

// wanted are the places of the comments that want a report.
func (b *build) wanted() []string {
	var list []string
	for _, path := range b.order {
		for _, name := range b.srcs[path] {
			content, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			for i, line := range strings.Split(string(content), "\n") {
				if strings.Contains(line, "// want ") {
					list = append(list, fmt.Sprintf("%s:%d", filepath.Base(name), i+1))
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// readFacts reads what the runs on the imports of a package have left. Of the
// standard library there is nothing.
func (b *build) readFacts(pkg *types.Package) map[string][]byte {
	all := map[string][]byte{}
	for _, imp := range pkg.Imports() {
		content, err := os.ReadFile(b.factFile(imp.Path()))
		if err != nil {
			continue
		}
		if err := json.Unmarshal(content, &all); err != nil {
			b.Fatal(err)
		}
	}
	return all
}

// writeFacts writes what is known after a run, with what it has read, as a
// package is all that its importers may see.
func (b *build) writeFacts(path string, known map[string][]byte) {
	content, err := json.Marshal(known)
	if err != nil {
		b.Fatal(err)
	}
	if bytes.Contains(known[path], []byte(filepath.Dir(b.srcs[path][0]))) {
		b.Errorf("the facts of %s name the directory of its sources, which is another one on other machines", path)
	}
	if err := os.WriteFile(b.factFile(path), content, 0o666); err != nil {
		b.Fatal(err)
	}
}

func (b *build) factFile(path string) string {
	return filepath.Join(b.left, strings.ReplaceAll(path, "/", "_")+".x")
}
