package state

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
)

// sifts reports whether a function of p that lists a directory looks at the names.
func sifts(p *effects.Package, fn *ssa.Function) bool {
	return siftsIn(p, memory.Outermost(fn))
}

// siftsIn is the same of a function and its literals.
func siftsIn(p *effects.Package, fn *ssa.Function) bool {
	var open []string // the texts that may be empty, with which any name will do
	for i := range flow.Instrs(fn) {
		if text := comparedWithEmpty(i); text != nil {
			if t := p.Term(text); t != nil {
				open = append(open, t.Key())
			}
		}
	}
	anyName := func(v ssa.Value) bool {
		t := p.Term(v)
		return t != nil && slices.Contains(open, t.Key())
	}
	for i := range flow.Instrs(fn) {
		call, ok := i.(ssa.CallInstruction)
		if ok && call.Common().StaticCallee() != nil && siftsBy(call.Common()) &&
			!slices.ContainsFunc(form(call), anyName) {
			return true
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, func(lit *ssa.Function) bool { return siftsIn(p, lit) })
}

// comparedWithEmpty is the text that an instruction compares with the empty one, nil for none.
func comparedWithEmpty(i ssa.Instruction) ssa.Value {
	op, ok := i.(*ssa.BinOp)
	if !ok || op.Op != token.EQL && op.Op != token.NEQ {
		return nil
	}
	empty := func(v ssa.Value) bool {
		c, ok := v.(*ssa.Const)
		return ok && c.Value != nil && c.Value.Kind() == constant.String && constant.StringVal(c.Value) == ""
	}
	switch {
	case empty(op.Y):
		return op.X
	}
	return nil
}

// form are the values that say which form a name has to have: what the extension is compared with,
// or the end that it has.
func form(call ssa.CallInstruction) (list []ssa.Value) {
	v := call.Value()
	if v == nil || call.Common().StaticCallee().Name() != "Ext" {
		return call.Common().Args[len(call.Common().Args)-1:]
	}
	for _, use := range flow.Uses(v) {
		if op, ok := use.(*ssa.BinOp); ok && op.X == v {
			list = append(list, op.Y)
		} else if ok {
			list = append(list, op.X)
		}
	}
	return list
}

// listsDirs reports whether a function that lists directories asks for the name of an
// entry only where that is a directory: a file is none of its concern.
func listsDirs(fn *ssa.Function) bool {
	asked := false
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(*ssa.Call)
			if !ok || !call.Call.IsInvoke() || call.Call.Method.Name() != "Name" {
				continue
			}
			if asked = true; !behindIsDir(call) {
				return false
			}
		}
	}
	return asked
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
