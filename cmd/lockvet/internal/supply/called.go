package supply

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"

	"github.com/lockvet/lockvet/internal/syntax"
)

// Called lists the functions and types of the copy at importPath that a source file
// names. One that does not parse names none.
func Called(src []byte, importPath string) (called []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, 0)
	if err != nil {
		return nil
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
			called = append(called, sel.Sel.Name)
		}
	}
	return called
}
