package load

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"slices"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// A Checker type-checks packages from source, each by itself. It remembers the
// types of those that it has checked, and of what they import, which it takes from
// export data: packages import much the same. When that becomes too much, it
// forgets all of it, so that what it holds does not grow with the number of
// packages. It may be used by several goroutines.
type Checker struct {
	config Config
	mu     sync.RWMutex // held to read export data, which adds to packages that are in memory
	memory *memory
}

// A memory is types that fit each other.
type memory struct {
	fset  *token.FileSet
	types scope
	size  int64 // of the export data and the sources that the types are from, in bytes
}

// A scope is packages by their import paths, of which some are just mentioned by
// others.
type scope map[string]*types.Package

// enough is how much a checker remembers unless the configuration says something
// else.
const enough = 256 << 20

// NewChecker returns a checker of packages that were loaded so.
func (c Config) NewChecker() *Checker { return &Checker{config: c} }

// Check returns the package with its syntax and types, or with what is wrong with
// it.
func (c *Checker) Check(p *packages.Package) *packages.Package {
	checked := *p
	m, imports := c.imports(p)
	checked.Fset = m.fset
	size := c.parse(&checked)
	checked.Types = types.NewPackage(p.PkgPath, p.Name)
	checked.TypesInfo = newInfo()
	conf := types.Config{
		Importer: imports,
		Error:    func(err error) { complain(&checked, err) },
		Sizes:    p.TypesSizes,
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	err := types.NewChecker(&conf, m.fset, checked.Types, checked.TypesInfo).Files(checked.Syntax)
	if err != nil && len(checked.Errors) == 0 {
		complain(&checked, err)
	}
	c.remember(m, &checked, size)
	return &checked
}

// remember enters the types of a package that was checked. What a package is in a
// test is for that test alone.
func (c *Checker) remember(m *memory, p *packages.Package, size int64) {
	if p.ForTest != "" || len(p.Errors) > 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.types[p.PkgPath] == nil { // or else others have it from export data
		m.types[p.PkgPath] = p.Types
		m.size += size
	}
}

// Reading calls f while no types are added to packages that are in memory. What
// looks for anything in the scope of a package that the one under analysis does not
// import itself must do so in here.
func (c *Checker) Reading(f func()) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	f()
}

// parse adds the syntax of the package and returns the size of its sources.
func (c *Checker) parse(p *packages.Package) (size int64) {
	for _, name := range p.CompiledGoFiles {
		src, err := c.config.ReadFile(name)
		if err != nil {
			complain(p, err)
			continue
		}
		size += int64(len(src))
		f, err := c.config.parse(p.Fset, name, src)
		if err != nil {
			complain(p, err)
		}
		if f != nil {
			p.Syntax = append(p.Syntax, f)
		}
	}
	return size
}

// complain enters an error of the parser or the type checker.
func complain(p *packages.Package, err error) {
	var list scanner.ErrorList
	var typeError types.Error
	switch {
	case errors.As(err, &list):
		for _, e := range list {
			p.Errors = append(p.Errors, packages.Error{Pos: e.Pos.String(), Msg: e.Msg, Kind: packages.ParseError})
		}
	case errors.As(err, &typeError):
		pos := typeError.Fset.Position(typeError.Pos).String()
		p.Errors = append(p.Errors, packages.Error{Pos: pos, Msg: typeError.Msg, Kind: packages.TypeError})
	default:
		p.Errors = append(p.Errors, packages.Error{Msg: err.Error()})
	}
}

// An importer has what a package imports, or why that is not to be had.
type importer struct {
	types  map[string]*types.Package // these by the path in the import declaration
	failed map[string]error
}

func (i importer) Import(path string) (*types.Package, error) {
	switch pkg, err := i.types[path], i.failed[path]; {
	case path == "unsafe":
		return types.Unsafe, nil
	case pkg != nil:
		return pkg, nil
	case err != nil:
		return nil, err
	}
	return nil, fmt.Errorf("no metadata for %s", path)
}

// imports makes sure that what the package imports is in memory. What a test
// replaces there has the import path of what it replaces, and is seen by none but
// that test; it fits everything that does not import what is replaced.
func (c *Checker) imports(p *packages.Package) (*memory, importer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.memory == nil || c.memory.size > cmp.Or(c.config.Enough, enough) {
		c.memory = &memory{fset: token.NewFileSet(), types: make(scope)}
	}
	m := c.memory
	i := importer{make(map[string]*types.Package), make(map[string]error)}
	var replaced []string
	for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
		if imp := p.Imports[path]; imp.ForTest != "" {
			replaced = append(replaced, path)
		} else {
			i.types[path], i.failed[path] = m.read(imp, m.types)
		}
	}
	if len(replaced) == 0 {
		return m, i
	}
	inTest := maps.Clone(m.types)
	for _, q := range Replacements(p) {
		delete(inTest, q.PkgPath)
	}
	for _, path := range replaced {
		i.types[path], i.failed[path] = m.read(p.Imports[path], inTest)
	}
	return m, i
}

// Replacements lists what a test replaces of what the package imports, also
// through others: each has the import path of what it replaces.
func Replacements(p *packages.Package) []*packages.Package {
	var list []*packages.Package
	for _, imp := range p.Imports {
		packages.Visit([]*packages.Package{imp}, func(q *packages.Package) bool {
			if q.ForTest != "" {
				list = append(list, q)
			}
			return q.ForTest != ""
		}, nil)
	}
	return list
}

// read gets a package from its export data, unless it is in the scope.
func (m *memory) read(p *packages.Package, in scope) (*types.Package, error) {
	if p.PkgPath == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := in[p.PkgPath]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	if p.ExportFile == "" {
		return nil, errors.New("the go command has not compiled it")
	}
	f, err := os.Open(p.ExportFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", p.ExportFile, err)
	}
	if part, ok := r.(*io.LimitedReader); ok {
		m.size += part.N
	} else if info, err := f.Stat(); err == nil {
		m.size += info.Size()
	}
	return gcexportdata.Read(r, m.fset, in, p.PkgPath)
}

func newInfo() *types.Info {
	return &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Instances:    make(map[*ast.Ident]types.Instance),
		Scopes:       make(map[ast.Node]*types.Scope),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		FileVersions: make(map[*ast.File]string),
	}
}
