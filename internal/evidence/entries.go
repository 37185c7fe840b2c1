package evidence

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
)

// sifts reports whether a function that lists a directory looks at the names.
func sifts(fn *ssa.Function) bool {
	return siftsIn(memory.Outermost(fn))
}

// siftsIn is the same of a function and its literals.
func siftsIn(fn *ssa.Function) bool {
	for i := range flow.Instrs(fn) {
		if call, ok := i.(ssa.CallInstruction); ok && call.Common().StaticCallee() != nil && siftsBy(call.Common()) {
			return true
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, siftsIn)
}

// listsDirs reports whether a function that lists directories asks for the name of an
// entry only where that is a directory: a file is none of its concern.
func listsDirs(fn *ssa.Function) bool {
	asked := false
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(*ssa.Call)
			if !ok || !call.Call.IsInvoke() || call.Call.Method.Name() != "Name" || !isEntry(call.Call.Value.Type()) {
				continue
			}
			if asked = true; !behindIsDir(call) {
				return false
			}
		}
	}
	return asked
}

// isEntry reports whether a type is that of an entry of a directory.
func isEntry(t types.Type) bool {
	m, _, _ := types.LookupFieldOrMethod(t, true, nil, "IsDir")
	return m != nil
}

// behindIsDir reports whether a method of an entry is called only where its IsDir has
// said yes.
func behindIsDir(call *ssa.Call) bool {
	return slices.ContainsFunc(flow.Conditions(call.Block()), func(c flow.Condition) bool {
		asks, ok := c.Value.(*ssa.Call)
		return ok && c.Holds && asks.Call.IsInvoke() && asks.Call.Method.Name() == "IsDir" && asks.Call.Value == call.Call.Value
	})
}

// siftsBy reports whether a call looks at the form of a name: its extension, or a
// beginning that is written out.
func siftsBy(c *ssa.CallCommon) bool {
	switch c.StaticCallee().Name() {
	case "HasSuffix", "CutSuffix", "Ext", "Match", "MatchString":
		return true
	case "HasPrefix", "CutPrefix", "Contains":
		_, constant := c.Args[len(c.Args)-1].(*ssa.Const)
		return constant
	}
	return false
}
