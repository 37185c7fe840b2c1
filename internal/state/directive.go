package state

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/internal/directive"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
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

func (x *Index) isMarked(path *pathexpr.Term, w *effects.Effect) bool {
	if x.opts.State != nil && pathexpr.Matches(path, x.opts.State) {
		return true
	}
	if len(x.marked) == 0 {
		return false
	}
	if obj := memory.Outermost(w.In).Object(); obj != nil && x.marked[objName(obj)] {
		return true
	}
	return path.Any(func(t *pathexpr.Term) bool {
		switch t.Kind {
		case pathexpr.Field:
			return x.marked[t.Type+"."+t.Text]
		case pathexpr.Global, pathexpr.Call:
			return x.marked[t.Text]
		case pathexpr.Const:
			return x.places[t.Key()]
		}
		return false
	}) || x.places[path.PackageKey()]
}

// markedPlaces are the paths that marked accessors and constants yield: neither
// leaves its name in the term of a path.
func (x *Index) markedPlaces() map[string]bool {
	places := map[string]bool{}
	if len(x.marked) == 0 {
		return places
	}
	for _, f := range x.p.Funcs {
		if obj := f.SSA.Object(); obj != nil && x.marked[objName(obj)] && len(f.Results) > 0 {
			if key := f.Results[0].PackageKey(); key != "" {
				places[key] = true
			}
		}
	}
	for _, obj := range x.p.Pass.TypesInfo.Defs {
		if c, ok := obj.(*types.Const); ok && c.Val().Kind() == constant.String && x.marked[objName(c)] {
			places[pathexpr.New(pathexpr.Const, constant.StringVal(c.Val())).Key()] = true
		}
	}
	return places
}
