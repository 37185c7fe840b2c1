package syntax

import (
	"go/ast"
	"go/token"
	"strings"
)

// Groups are the runs of imports that gofmt sorts as one.
func Groups(tok *token.File, decl *ast.GenDecl) [][]*ast.ImportSpec {
	var groups [][]*ast.ImportSpec
	line := -1
	for _, d := range decl.Specs {
		spec := d.(*ast.ImportSpec)
		if len(groups) == 0 || tok.Line(spec.Pos()) > line+1 {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], spec)
		line = tok.Line(spec.End())
	}
	return groups
}

// FirstElement is that of an import path, such as the host of one.
func FirstElement(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

// SharedElements is how many elements two import paths begin with alike.
func SharedElements(a, b string) int {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(as) && n < len(bs) && as[n] == bs[n] {
		n++
	}
	return n
}
