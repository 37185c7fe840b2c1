// Package srctest type-checks the sources that stand in tests.
package srctest

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"sync"

	"golang.org/x/tools/go/analysis"
)

var std = sync.OnceValue(func() types.Importer { return importer.ForCompiler(token.NewFileSet(), "gc", nil) })

// Packages are packages made of one file each, which import each other and std.
type Packages struct {
	fset *token.FileSet
	made map[string]*types.Package
}

// New is a set without packages.
func New() *Packages {
	return &Packages{fset: token.NewFileSet(), made: map[string]*types.Package{}}
}

// Import gives a package of the set or of std.
func (s *Packages) Import(path string) (*types.Package, error) {
	if p := s.made[path]; p != nil {
		return p, nil
	}
	return std().Import(path)
}

// Check adds a package and gives a pass over it, without facts.
func (s *Packages) Check(path, src string) (*analysis.Pass, error) {
	f, err := parser.ParseFile(s.fset, path+"/p.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{Importer: s}
	pkg, err := conf.Check(path, s.fset, []*ast.File{f}, info)
	if err != nil {
		return nil, err
	}
	s.made[path] = pkg
	return &analysis.Pass{
		Fset: s.fset, Files: []*ast.File{f}, Pkg: pkg, TypesInfo: info,
		ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportObjectFact:  func(types.Object, analysis.Fact) {},
		ExportPackageFact: func(analysis.Fact) {},
	}, nil
}
