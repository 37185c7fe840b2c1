package trunclock

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// namedByImporters is where a package that others import is given the path: the
// parameter of an exported function that is stored, as it is, in the field that
// the path is. It is NoPos for any other path, and for commands and internal
// packages, whose importers can all be seen.
func namedByImporters(p *effects.Package, path *pathexpr.Term) token.Pos {
	if path.Kind != pathexpr.Field || p.Pass.Pkg.Name() == "main" || slices.Contains(strings.Split(p.Pass.Pkg.Path(), "/"), "internal") {
		return token.NoPos
	}
	first := token.NoPos
	for v, val := range p.Fields {
		par, ok := val.(*ssa.Parameter)
		if !ok || v.Name() != path.Text || par.Parent().Object() == nil || !par.Parent().Object().Exported() {
			continue
		}
		if typ, ok := ownerOf(p.Pass.Pkg, v); ok && typ == path.Type && (first == token.NoPos || par.Pos() < first) {
			first = par.Pos()
		}
	}
	return first
}

// ownerOf is the exported type of the package that declares a field, with its
// import path.
func ownerOf(pkg *types.Package, field *types.Var) (string, bool) {
	for _, name := range pkg.Scope().Names() {
		tn, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !tn.Exported() {
			continue
		}
		st, ok := tn.Type().Underlying().(*types.Struct)
		for i := 0; ok && i < st.NumFields(); i++ {
			if st.Field(i) == field {
				return pkg.Path() + "." + name, true
			}
		}
	}
	return "", false
}
