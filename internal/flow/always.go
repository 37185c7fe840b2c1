package flow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Always reports whether a function does something on each way to a return, itself or by a
// function that it calls. Of functions that call each other, none does it for the others.
func (p *Program) Always(fn *ssa.Function, does func(ssa.Instruction) bool) bool {
	done := map[*ssa.Function]bool{}
	missed := func(f *ssa.Function) bool {
		return len(f.Blocks) == 0 || Search{Block: func(b *ssa.BasicBlock) Step {
			switch {
			case slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool { return does(i) || done[Callee(i)] }):
				return Stop
			case ReturnOf(b) != nil:
				return Found
			}
			return Go
		}}.From(p, f.Blocks[0])
	}
	for group := range Components([]*ssa.Function{fn}, callees) {
		if len(group) == 1 {
			done[group[0]] = !missed(group[0])
		}
	}
	return done[fn] || !missed(fn)
}

// Callee is the function that an instruction calls and waits for, nil for none that is known.
func Callee(i ssa.Instruction) *ssa.Function {
	if call, ok := i.(*ssa.Call); ok {
		return call.Call.StaticCallee()
	}
	return nil
}

func callees(fn *ssa.Function) (list []*ssa.Function) {
	for i := range Instrs(fn) {
		if to := Callee(i); to != nil {
			list = append(list, to)
		}
	}
	return list
}
