// Package srctest type-checks the sources that stand in tests.
package srctest

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// std imports from the export data of the standard library, for one set at a time.
var std struct {
	sync.Mutex
	types.Importer
}

func importStd(path string) (*types.Package, error) {
	std.Lock()
	defer std.Unlock()
	if std.Importer == nil {
		std.Importer = importer.ForCompiler(token.NewFileSet(), "gc", nil)
	}
	return std.Import(path)
}

// Packages are packages that import each other and std.
type Packages struct {
	// Root is a folder with a folder for each import path, from which packages are
	// imported that are not in the set; empty for none.
	Root string

	fset *token.FileSet
	made map[string]*types.Package
}

// New is a set without packages.
func New() *Packages {
	return &Packages{fset: token.NewFileSet(), made: map[string]*types.Package{}}
}

// Import gives a package of the set, of the root or of std.
func (s *Packages) Import(path string) (*types.Package, error) {
	if p := s.made[path]; p != nil {
		return p, nil
	}
	if s.Root != "" {
		if files, err := Sources(filepath.Join(s.Root, path)); err == nil {
			pass, err := s.CheckFiles(path, files)
			if err != nil {
				return nil, err
			}
			return pass.Pkg, nil
		}
	}
	return importStd(path)
}

// A File is a source file by its name.
type File struct{ Name, Source string }

// Sources reads the source files of a folder, those of tests left out, in the order of
// their names. One that has none is an error.
func Sources(dir string) ([]File, error) {
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	var files []File
	for _, name := range names {
		if ok, err := build.Default.MatchFile(dir, filepath.Base(name)); err != nil || !ok || strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, File{filepath.Base(name), string(src)})
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no source files in %s", dir)
	}
	return files, nil
}

// Check adds a package of one file and gives a pass over it, without facts.
func (s *Packages) Check(path, src string) (*analysis.Pass, error) {
	return s.CheckFiles(path, []File{{"p.go", src}})
}

// CheckFiles adds a package and gives a pass over it, without facts.
func (s *Packages) CheckFiles(path string, sources []File) (*analysis.Pass, error) {
	var files []*ast.File
	for _, src := range sources {
		f, err := parser.ParseFile(s.fset, path+"/"+src.Name, src.Source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{Importer: s, Sizes: types.SizesFor("gc", "amd64")}
	pkg, err := conf.Check(path, s.fset, files, info)
	if err != nil {
		return nil, err
	}
	s.made[path] = pkg
	return &analysis.Pass{
		TypesSizes: conf.Sizes, Fset: s.fset, Files: files, Pkg: pkg, TypesInfo: info,
		ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportObjectFact:  func(types.Object, analysis.Fact) {},
		ExportPackageFact: func(analysis.Fact) {},
	}, nil
}
