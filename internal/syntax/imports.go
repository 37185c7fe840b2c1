package syntax

import (
	"go/ast"
	"go/token"
	"strconv"
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

// Apart is by how many more of some files keep the imports of which something is so apart from others,
// the standard library aside, than in one group with them.
func Apart(fset *token.FileSet, files []*ast.File, is func(path string) bool) int {
	n := 0
	for _, file := range files {
		lone, others, mixed := false, false, false
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.IMPORT {
				continue
			}
			for _, group := range Groups(fset.File(file.FileStart), decl) {
				ours, theirs := false, false
				for _, spec := range group {
					path, _ := strconv.Unquote(spec.Path.Value)
					own := is(path)
					ours, theirs = ours || own, theirs || !own && strings.Contains(FirstElement(path), ".")
				}
				lone, others, mixed = lone || ours && !theirs, others || theirs, mixed || ours && theirs
			}
		}
		switch {
		case mixed:
			n--
		case lone && others:
			n++
		}
	}
	return n
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
