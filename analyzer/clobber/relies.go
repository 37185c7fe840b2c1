package clobber

import (
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
)

// relies is a caller of the function in the package that goes on with what it
// yields without an error; nil where all give the error to theirs, or leave.
func relies(p *failure.Package, f *effects.Func) *effects.Func {
	for _, g := range p.Funcs {
		for _, b := range g.SSA.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if ok && p.Body(call.Common()) == f.SSA && !p.Leaves(g, i) {
					return g
				}
			}
		}
	}
	return nil
}

// returnsError reports whether the last result of the function is an error.
func returnsError(f *effects.Func) bool {
	return len(failure.Returned(&ssa.CallCommon{Value: f.SSA})) > 0
}
