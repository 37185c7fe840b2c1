package load

import (
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"os"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// A Checker type-checks packages from source, one at a time; what they import it
// takes from export data. It remembers what is imported, for packages import much
// the same, and forgets all of it when that becomes too much: what it holds does
// not grow with the number of packages.
type Checker struct {
	config Config
	fset   *token.FileSet
	files  []*ast.File // of the package that was checked last
	types  scope
	read   int64 // bytes of export data in types
	enough int64
}

// A scope is packages by their import paths, to be read from export data or just
// mentioned there.
type scope map[string]*types.Package

// enough is how much export data a checker remembers. In memory it becomes
// several times as much.
const enough = 32 << 20

// NewChecker returns a checker for one goroutine.
func (c Config) NewChecker() *Checker { return &Checker{config: c, enough: enough} }

// Check returns the package with its syntax and types, or with what is wrong with
// it. They are good until the next package is checked.
func (c *Checker) Check(p *packages.Package) *packages.Package {
	c.forget()
	checked := *p
	checked.Fset = c.fset
	checked.Types = types.NewPackage(p.PkgPath, p.Name)
	checked.TypesInfo = newInfo()
	c.parse(&checked)
	conf := types.Config{
		Importer: c.importer(p),
		Error:    func(err error) { complain(&checked, err) },
		Sizes:    p.TypesSizes,
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	err := types.NewChecker(&conf, c.fset, checked.Types, checked.TypesInfo).Files(checked.Syntax)
	if err != nil && len(checked.Errors) == 0 {
		complain(&checked, err)
	}
	return &checked
}

// forget lets go of the last package, and of what was imported if that is enough.
func (c *Checker) forget() {
	if c.fset == nil || c.read > c.enough {
		c.fset, c.types, c.read = token.NewFileSet(), make(scope), 0
	}
	for _, f := range c.files {
		if file := c.fset.File(f.FileStart); file != nil {
			c.fset.RemoveFile(file)
		}
	}
	c.files = nil
}

func (c *Checker) parse(p *packages.Package) {
	for _, name := range p.CompiledGoFiles {
		src, err := c.config.ReadFile(name)
		if err != nil {
			complain(p, err)
			continue
		}
		f, err := c.config.parse(c.fset, name, src)
		if err != nil {
			complain(p, err)
		}
		if f != nil {
			p.Syntax = append(p.Syntax, f)
		}
	}
	c.files = p.Syntax
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

// importer finds what the package imports. What tests replace in what they import
// has the paths of what it replaces: it is not for other packages.
func (c *Checker) importer(p *packages.Package) types.Importer {
	in := c.types
	for _, imp := range p.Imports {
		if imp.ForTest != "" {
			in = make(scope)
		}
	}
	return importerFunc(func(path string) (*types.Package, error) {
		imp := p.Imports[path]
		switch {
		case path == "unsafe":
			return types.Unsafe, nil
		case imp == nil:
			return nil, fmt.Errorf("no metadata for %s", path)
		}
		if pkg := in[imp.PkgPath]; pkg != nil && pkg.Complete() {
			return pkg, nil
		}
		return c.readExport(imp, in)
	})
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

func (c *Checker) readExport(p *packages.Package, in scope) (*types.Package, error) {
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
	return gcexportdata.Read(&meter{r, &c.read}, c.fset, in, p.PkgPath)
}

// A meter counts what is read.
type meter struct {
	io.Reader
	total *int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	*m.total += int64(n)
	return n, err
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
