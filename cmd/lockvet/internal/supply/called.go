package supply

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/syntax"
	"github.com/lockvet/lockvet/internal/untrusted"
)

// Wanted is the copy with what the sources of its module name of it, beside what it has, if it is there.
func (s Supply) Wanted() (*Copy, error) {
	c, err := s.Read()
	if err != nil || !c.Exists() {
		return c, err
	}
	for name := range load.Sources(s.Root) {
		src, err := untrusted.ReadFile(name, untrusted.MaxSource)
		if err == nil && bytes.Contains(src, []byte(strconv.Quote(s.ImportPath))) {
			c.names = append(c.names, Called(src, s.ImportPath)...)
		}
	}
	return c, nil
}

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
