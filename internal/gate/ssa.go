package gate

import (
	"go/ast"

	"golang.org/x/tools/go/ssa"
)

// SSA builds SSA for the slice alone. Of other packages SSA wants only
// those whose functions and variables the source names, as types without
// bodies; methods it makes on demand. Creating the whole import closure costs
// more than everything else together.
func SSA(s *Slice, files []*ast.File) *ssa.Package {
	prog := ssa.NewProgram(s.Pass.Fset, ssa.BareInits)
	for _, pkg := range s.imports() {
		prog.CreatePackage(pkg, nil, nil, true)
	}
	pkg := prog.CreatePackage(s.Pass.Pkg, files, s.info(files), false)
	pkg.Build()
	return pkg
}
