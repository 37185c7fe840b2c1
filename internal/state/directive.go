package state

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/internal/directive"
)

// markedNames collects the declarations that a directive says to hold state.
func markedNames(files []*ast.File, info *types.Info) map[string]bool {
	marked := map[string]bool{}
	for _, f := range files {
		if !slices.ContainsFunc(f.Comments, directive.HasState) {
			continue
		}
		for comment, decl := range directive.Declared(f) {
			if !directive.HasState(comment) {
				continue
			}
			for _, n := range decl.Names {
				mark(marked, info, decl.Struct, n)
			}
		}
	}
	return marked
}

// mark enters a declared name, under that of its struct if it is a field.
func mark(marked map[string]bool, info *types.Info, owner *ast.TypeSpec, name *ast.Ident) {
	obj := info.Defs[name]
	if owner == nil {
		if obj != nil {
			marked[objName(obj)] = true
		}
		return
	}
	if t := info.Defs[owner.Name]; obj != nil && t != nil && t.Pkg() != nil {
		marked[objName(t)+"."+name.Name] = true
	}
}

func objName(obj types.Object) string {
	if fn, ok := obj.(*types.Func); ok {
		return fn.FullName()
	}
	if obj.Pkg() == nil {
		return obj.Name()
	}
	return obj.Pkg().Path() + "." + obj.Name()
}
