package supply

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// A part is one file of safeio: what it declares and what it names.
type part struct {
	declares map[string]bool
	methods  map[method]bool
	names    map[string]bool // of what other files declare
	selected map[string]bool // names behind a dot, but for those of packages
}

type method struct{ of, name string }

// Needed lists the files of a copy, by base name, that code which calls the
// functions needs, on any system: those that declare what it names, those that
// declare what these name, the methods that these call, and all that a user can
// call on their types. The methods of Options are one for each function, so that of
// these it needs only those which the code calls.
func Needed(copied map[string][]byte, functions map[string]bool) (map[string]bool, error) {
	parts := make(map[string]*part)
	for name, src := range copied {
		p, err := parsePart(name, src)
		if err != nil {
			return nil, err
		}
		parts[name] = p
	}
	needed := map[string]bool{"doc.go": true}
	have := &part{declares: map[string]bool{}, names: maps.Clone(functions), selected: map[string]bool{}}
	for name := range functions {
		if of, called, ok := strings.Cut(name, "."); ok && of == options {
			have.selected[called] = true
		}
	}
	for more := true; more; {
		more = false
		for base, p := range parts {
			if needed[base] || !have.wants(p) {
				continue
			}
			needed[base], more = true, true
			maps.Copy(have.declares, p.declares)
			maps.Copy(have.names, p.names)
			maps.Copy(have.selected, p.selected)
		}
	}
	return needed, nil
}

// options is the type that has a method for each function.
const options = "Options"

// wants reports whether q declares what p names, or a method of what p declares.
func (p *part) wants(q *part) bool {
	for n := range p.names {
		if q.declares[n] {
			return true
		}
	}
	for m := range q.methods {
		if p.declares[m.of] && (p.selected[m.name] || m.of != options && token.IsExported(m.of) && token.IsExported(m.name)) {
			return true
		}
	}
	return false
}

func parsePart(name string, src []byte) (*part, error) {
	f, err := parser.ParseFile(token.NewFileSet(), name, src, 0)
	if err != nil {
		return nil, err
	}
	p := &part{declares: map[string]bool{}, methods: map[method]bool{}, names: map[string]bool{}, selected: map[string]bool{}}
	for _, d := range f.Decls {
		p.declare(d)
	}
	for _, id := range f.Unresolved {
		p.names[id.Name] = true
	}
	imports := make(map[string]bool)
	for _, spec := range f.Imports {
		if of, err := strconv.Unquote(spec.Path.Value); err == nil {
			imports[path.Base(of)] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); !ok || !imports[id.Name] {
				p.selected[sel.Sel.Name] = true
			}
		}
		return true
	})
	return p, nil
}

func (p *part) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			p.declares[d.Name.Name] = true
			return
		}
		ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				p.methods[method{id.Name, d.Name.Name}] = true
			}
			return true
		})
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				p.declares[spec.Name.Name] = true
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					p.declares[n.Name] = true
				}
			}
		}
	}
}

// Called lists the functions and types of the package at importPath that a source
// file names, and what may be a method of Options if it names those, as "Options.Lock".
// A file that does not parse names none.
func Called(src []byte, importPath string) map[string]bool {
	called := make(map[string]bool)
	f, err := parser.ParseFile(token.NewFileSet(), "", src, 0)
	if err != nil {
		return called
	}
	name := ""
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil && p == importPath {
			name = path.Base(p)
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && name != "" && id.Name == name {
				called[sel.Sel.Name] = true
			}
		}
		return true
	})
	if called[options] {
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				called[options+"."+sel.Sel.Name] = true
			}
			return true
		})
	}
	return called
}

// Trim takes out of the changes that make a copy the files that nothing needs: not
// the functions that are called, and not what stands there already.
func Trim(changes map[string][]byte, functions map[string]bool, version string) error {
	all, err := copied(version)
	if err != nil {
		return err
	}
	needed, err := Needed(all, functions)
	if err != nil {
		return err
	}
	for name, content := range changes {
		if _, err := os.Stat(name); content != nil && err != nil && !needed[filepath.Base(name)] {
			delete(changes, name)
		}
	}
	return nil
}
