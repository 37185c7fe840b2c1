package supply

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"

	"github.com/lockvet/lockvet/internal/bundle"
	"github.com/lockvet/lockvet/internal/syntax"
)

// Called lists the functions and types of the copy at importPath that a source file
// names, and what may be a method of Options if it names those, as "Options.Lock".
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
			name = "safeio" // as the package of every copy is named
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	for sel := range syntax.Nodes[*ast.SelectorExpr](f) {
		if id, ok := sel.X.(*ast.Ident); ok && name != "" && id.Name == name {
			called[sel.Sel.Name] = true
		}
	}
	if called[bundle.Options] {
		for sel := range syntax.Nodes[*ast.SelectorExpr](f) {
			called[bundle.Options+"."+sel.Sel.Name] = true
		}
	}
	return called
}

// declared lists what a file of a copy declares that code can name.
func declared(src []byte) []string {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var names []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				id, ok := d.Recv.List[0].Type.(*ast.Ident)
				if !ok {
					continue
				}
				name = id.Name + "." + name
			}
			names = append(names, name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						names = append(names, id.Name)
					}
				}
			}
		}
	}
	return names
}
