package edit

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// DropUnusedImports removes the imports that a file used before it was edited
// and does not use any more. Two fixes that each take one of the last two uses
// of a package cannot know that they make its import unused together.
//
// used maps the import paths of the file before the edit to the names by which
// it knew them. Content that does not parse is returned as it is.
func DropUnusedImports(src []byte, used map[string]string) []byte {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return src
	}
	free := make(map[string]bool) // names that the file itself does not declare
	for _, id := range file.Unresolved {
		free[id.Name] = true
	}
	var cuts []Edit
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.IMPORT {
			continue
		}
		unused := unusedSpecs(d, used, free)
		if len(unused) == len(d.Specs) && len(unused) > 0 {
			cuts = append(cuts, cutLines(src, fset, d))
			continue
		}
		for _, spec := range unused {
			cuts = append(cuts, cutLines(src, fset, spec))
		}
	}
	return Apply(src, cuts)
}

func unusedSpecs(d *ast.GenDecl, used map[string]string, free map[string]bool) []ast.Node {
	var unused []ast.Node
	for _, spec := range d.Specs {
		spec := spec.(*ast.ImportSpec)
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // does not compile anyway
		}
		name, known := used[path]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if known && name != "_" && name != "." && !free[name] {
			unused = append(unused, spec)
		}
	}
	return unused
}

// cutLines cuts a node, with the comment at the end of its line, and the blank
// line behind a whole declaration.
func cutLines(src []byte, fset *token.FileSet, n ast.Node) Edit {
	tok := fset.File(n.Pos())
	start, end := tok.Offset(n.Pos()), tok.Offset(n.End())
	start = bytes.LastIndexByte(src[:start], '\n') + 1
	if i := bytes.IndexByte(src[end:], '\n'); i >= 0 {
		end += i + 1
	} else {
		end = len(src)
	}
	if _, whole := n.(*ast.GenDecl); whole {
		rest := bytes.TrimLeft(src[end:], "\r")
		if bytes.HasPrefix(rest, []byte("\n")) {
			end = len(src) - len(rest) + 1
		}
	}
	return Edit{Start: start, End: end}
}
