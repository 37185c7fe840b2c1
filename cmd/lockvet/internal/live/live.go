// Package live tells which declarations of the main modules no program comes to:
// neither the commands of these modules nor whoever imports their public packages.
// It goes by what refers to what, as a linker does that keeps all methods of a type;
// it knows nothing of findings.
package live

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/syntax"
)

// A Name is a declaration of a package. A method is T.method, but for an unexported one of
// which an interface of the package has the name: that belongs to its type.
type Name struct {
	Package string // import path
	Decl    string
}

// last is the name without that of a type in front of it.
func (n Name) last() string { return n.Decl[strings.LastIndexByte(n.Decl, '.')+1:] }

// Uses is what packages refer to. It may be told of several packages at a time.
type Uses struct {
	own map[string]bool // the import paths of the packages that it is told of

	mu       sync.Mutex
	packages map[string]*Package

	look      sync.Once
	mentioned mentions // what others returns
}

// A Package is what one package refers to.
type Package struct {
	Dir     string // of its module, empty for none
	Module  string // the path of that
	Main    bool   // its name says that it is a program or a plugin
	Command bool
	Program bool                   // a command that serves users
	Closed  bool                   // to importers from outside of the module
	Imports []string               // import paths
	Starts  map[Name]bool          // what runs, or can be called, in every program that has the package
	Runs    map[Name]bool          // of these, what runs without being named
	By      map[Name]map[Name]bool // what each declaration refers to
	Files   []string
	Called  map[string]bool // functions by their full names, methods of interfaces by a dot and theirs
}

// NewUses returns the uses of packages that [Uses.Add] is yet to tell of.
func NewUses(pkgs []*packages.Package) *Uses {
	u := &Uses{own: make(map[string]bool), packages: make(map[string]*Package)}
	for _, p := range pkgs {
		u.own[p.PkgPath] = true
	}
	return u
}

// Add tells what a package refers to that was type-checked. What it is in a test says
// nothing about programs.
func (u *Uses) Add(p *packages.Package) {
	if p.ForTest != "" {
		return
	}
	of := &Package{
		Main: p.Name == "main", Command: command(p), Closed: closed(p),
		Starts: make(map[Name]bool), Runs: make(map[Name]bool), By: make(map[Name]map[Name]bool),
		Files: slices.Concat(p.GoFiles, p.CompiledGoFiles), Called: make(map[string]bool),
	}
	if p.Module != nil {
		of.Dir, of.Module = p.Module.Dir, p.Module.Path
	}
	of.Program = of.Command && state.Serves(state.Unit{Path: p.PkgPath, Name: p.Name}).Why == ""
	for _, imp := range p.Types.Imports() {
		if u.own[imp.Path()] {
			of.Imports = append(of.Imports, imp.Path())
		}
	}
	for _, to := range p.TypesInfo.Uses {
		if fn, ok := to.(*types.Func); ok {
			of.Called[calledAs(fn)] = true
		}
	}
	dynamic := dynamic(p)
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			u.declaration(of, p, d, dynamic)
		}
	}
	u.Put(p.PkgPath, of)
}

// Put tells what a package refers to; nil for nothing.
func (u *Uses) Put(path string, of *Package) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if of != nil {
		u.packages[path] = of
	}
}

// Get is what u was told of a package, nil where that is nothing.
func (u *Uses) Get(path string) *Package {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.packages[path]
}

// Users lists the packages, by import path, that refer to a function, or to a method of
// that name of an interface, other than its own. The function is called by its full name.
func (u *Uses) Users(fn string) (list []string) {
	own, method := strings.Trim(fn[:strings.LastIndexByte(fn, '.')], "(*)"), ""
	if fn[0] == '(' {
		own, method = own[:strings.LastIndexByte(own, '.')], fn[strings.LastIndexByte(fn, '.'):]
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for path, of := range u.packages {
		if path != own && (of.Called[fn] || method != "" && of.Called[method]) {
			list = append(list, path)
		}
	}
	return list
}

// calledAs is the full name of a function, or a dot and the name of a method of an interface.
func calledAs(fn *types.Func) string {
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return "." + fn.Name()
	}
	return fn.Origin().FullName()
}

// declaration notes what a declaration refers to.
func (u *Uses) declaration(of *Package, p *packages.Package, d ast.Decl, dynamic map[string]bool) {
	for name, part := range parts(p, d, dynamic) {
		if of.By[name] == nil {
			of.By[name] = make(map[Name]bool)
		}
		for id := range syntax.Nodes[*ast.Ident](part) {
			if to := nameOf(p.TypesInfo.Uses[id], dynamic); u.own[to.Package] {
				of.By[name][to] = true
			}
		}
		if runs := starts(d, part, name.Decl); runs || of.Command && name.Decl == "main" {
			of.Starts[name], of.Runs[name] = true, true
		} else if !of.Closed {
			of.Starts[name] = true
		}
	}
}

// dynamic are the names of the unexported methods that interfaces of a package have: a
// call of one can be that of any type's method.
func dynamic(p *packages.Package) map[string]bool {
	names := make(map[string]bool)
	for e := range p.TypesInfo.Types {
		if i, ok := e.(*ast.InterfaceType); ok {
			for _, m := range i.Methods.List {
				for _, id := range m.Names {
					names[id.Name] = true
				}
			}
		}
	}
	return names
}

// parts are what a declaration declares, by name.
func parts(p *packages.Package, d ast.Decl, dynamic map[string]bool) map[Name]ast.Node {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return map[Name]ast.Node{{p.PkgPath, owner(p.TypesInfo.Defs[d.Name].(*types.Func), dynamic)}: d}
	case *ast.GenDecl:
		list := make(map[Name]ast.Node)
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				list[Name{p.PkgPath, s.Name.Name}] = s
			case *ast.ValueSpec:
				for _, id := range s.Names {
					list[Name{p.PkgPath, id.Name}] = s
				}
			}
		}
		return list
	}
	return nil
}

// starts reports whether a part of a declaration runs, or can be called, in every program
// that has the package: an initialisation, a variable that a call initialises, or what is
// called from elsewhere than Go. A table of functions runs none of them.
func starts(d ast.Decl, part ast.Node, name string) bool {
	fn, isFunc := d.(*ast.FuncDecl)
	if !isFunc {
		return d.(*ast.GenDecl).Tok == token.VAR && (name == "_" || calls(part))
	}
	if name == "init" || name == "_" || fn.Body == nil {
		return true
	}
	return fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:linkname") || strings.HasPrefix(c.Text, "//go:wasmexport") ||
			strings.HasPrefix(c.Text, "//export ")
	})
}

// calls reports whether something is called where a node is evaluated.
func calls(part ast.Node) bool {
	found := false
	ast.Inspect(part, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = true
		}
		return !found
	})
	return found
}

// nameOf is the declaration of which an object is a part, none for a local one. A
// field, and a method that does not stand alone, is used by who has its type.
func nameOf(obj types.Object, dynamic map[string]bool) Name {
	if obj == nil || obj.Pkg() == nil {
		return Name{}
	}
	if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil {
		if name := owner(fn, dynamic); strings.Contains(name, ".") {
			return Name{obj.Pkg().Path(), name}
		}
	}
	if obj.Parent() != obj.Pkg().Scope() {
		return Name{}
	}
	return Name{obj.Pkg().Path(), obj.Name()}
}

// owner is the name to which a function belongs: its own, or that of its receiver's
// type, with its own behind that unless an interface calls it.
func owner(fn *types.Func, dynamic map[string]bool) string {
	recv := fn.Origin().Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	typ := types.Unalias(recv.Type())
	if p, ok := typ.(*types.Pointer); ok {
		typ = types.Unalias(p.Elem())
	}
	n, ok := typ.(*types.Named)
	switch {
	case !ok:
		return fn.Name()
	case dynamic[fn.Name()] && !fn.Exported():
		return n.Obj().Name()
	}
	return n.Obj().Name() + "." + fn.Name()
}

// command reports whether a package is a program, and no plugin of one.
func command(p *packages.Package) bool {
	return p.Name == "main" && p.Types.Scope().Lookup("main") != nil
}

// closed reports whether none but the module of a package can import it: it is a
// command, or internal to the module or a part of that. One that is named by its
// files has no module, and may have more of them.
func closed(p *packages.Package) bool {
	if p.Module == nil {
		return false
	}
	if command(p) {
		return true
	}
	within, ok := strings.CutPrefix(p.PkgPath+"/", p.Module.Path+"/")
	return ok && strings.Contains("/"+within, "/internal/")
}

// Places tells in which declaration of a package a position stands.
type Places struct {
	pkg     *packages.Package
	dynamic map[string]bool
}

// PlacesOf are the places of a package that was type-checked.
func PlacesOf(p *packages.Package) *Places { return &Places{p, dynamic(p)} }

// At is the declaration in which a position stands, none for a position outside of all.
func (p *Places) At(pos token.Pos) Name {
	for _, f := range p.pkg.Syntax {
		if pos < f.FileStart || f.FileEnd < pos {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && d.Pos() <= pos && pos < d.End() {
				return Name{p.pkg.PkgPath, owner(p.pkg.TypesInfo.Defs[fn.Name].(*types.Func), p.dynamic)}
			}
		}
	}
	return Name{}
}
