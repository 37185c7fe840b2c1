package slice

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// SSA builds SSA for the slice alone. Of other packages SSA wants only
// those whose functions and variables the source names, as types without
// bodies, and of these only what it names; methods it makes on demand. Creating the
// whole import closure costs more than everything else together.
func SSA(s *Slice, files []*ast.File) *ssa.Package {
	prog := ssa.NewProgram(s.Pass.Fset, ssa.BareInits)
	for _, p := range s.imports() {
		file, info := naming(p.named)
		prog.CreatePackage(p.pkg, []*ast.File{file}, info, true)
	}
	pkg := prog.CreatePackage(s.Pass.Pkg, files, s.info(files), false)
	pkg.Build()
	return pkg
}

// naming is a file of which SSA makes members of a package for the objects, without syntax,
// as it does of the constants that a file declares; from types alone it makes one of all that
// the package has.
func naming(objects []types.Object) (*ast.File, *types.Info) {
	info, spec := &types.Info{Defs: map[*ast.Ident]types.Object{}}, &ast.ValueSpec{}
	for _, obj := range objects {
		id := ast.NewIdent(obj.Name())
		info.Defs[id] = obj
		spec.Names = append(spec.Names, id)
	}
	return &ast.File{Decls: []ast.Decl{&ast.GenDecl{Tok: token.CONST, Specs: []ast.Spec{spec}}}}, info
}
