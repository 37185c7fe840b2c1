package flow

import (
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Uses are the instructions that have a value among their operands, in the order of the
// source; none for what SSA keeps no uses of, as package variables.
func Uses(v ssa.Value) []ssa.Instruction {
	if refs := v.Referrers(); refs != nil {
		return *refs
	}
	return nil
}

// Operands are the values that an instruction has, those that are missing left out.
func Operands(i ssa.Instruction) []ssa.Value {
	var room [8]*ssa.Value
	ops := i.Operands(room[:0])
	list := make([]ssa.Value, 0, len(ops))
	for _, op := range ops {
		if *op != nil {
			list = append(list, *op)
		}
	}
	return list
}

// Functions yields, of each instruction of a function, the functions among its operands.
func Functions(fn *ssa.Function) iter.Seq2[ssa.Instruction, *ssa.Function] {
	return func(yield func(ssa.Instruction, *ssa.Function) bool) {
		var ops []*ssa.Value // for all of them
		for i := range Instrs(fn) {
			ops = i.Operands(ops[:0])
			for _, op := range ops {
				if used, ok := (*op).(*ssa.Function); ok && !yield(i, used) {
					return
				}
			}
		}
	}
}

// OperandsOf are the values that a value is computed from, none for one that no
// instruction computes.
func OperandsOf(v ssa.Value) []ssa.Value {
	if i, ok := v.(ssa.Instruction); ok {
		return Operands(i)
	}
	return nil
}

// StoresAt are the stores to an address itself, and not to a part of what it points to,
// in its own function.
func StoresAt(addr ssa.Value) []*ssa.Store {
	var list []*ssa.Store
	for _, ref := range Uses(addr) {
		if s, ok := ref.(*ssa.Store); ok && s.Addr == addr {
			list = append(list, s)
		}
	}
	return list
}

// StoresTo are those of the function literals that have captured it, too.
func StoresTo(addr ssa.Value) []*ssa.Store {
	var list []*ssa.Store
	for _, ref := range Uses(addr) {
		switch r := ref.(type) {
		case *ssa.Store:
			if r.Addr == addr {
				list = append(list, r)
			}
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == addr {
					list = append(list, StoresTo(r.Fn.(*ssa.Function).FreeVars[i])...)
				}
			}
		}
	}
	return list
}

// Captured is what the function around a literal binds to a variable that the literal
// has captured; nil where that is not known.
func Captured(v *ssa.FreeVar) ssa.Value {
	lit := v.Parent()
	n := slices.Index(lit.FreeVars, v)
	for _, ref := range Uses(lit) {
		if mc, ok := ref.(*ssa.MakeClosure); ok && mc.Fn == ssa.Value(lit) && n >= 0 {
			return mc.Bindings[n]
		}
	}
	return nil
}

// Captures are the variables of literals that a value is bound to.
func Captures(v ssa.Value) []ssa.Value {
	var list []ssa.Value
	for _, ref := range Uses(v) {
		mc, ok := ref.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		for n, b := range mc.Bindings {
			if b == v {
				list = append(list, mc.Fn.(*ssa.Function).FreeVars[n])
			}
		}
	}
	return list
}

// An Element is a store to an element of an array or a list. Index is -1 where it is no
// constant.
type Element struct {
	Index int64
	Store *ssa.Store
}

// Elements are the stores to elements of a value, in its own function. Of the array
// behind a literal, or behind the arguments of a variadic call, they are all there are.
func Elements(of ssa.Value) []Element {
	var list []Element
	for _, ref := range Uses(of) {
		at, ok := ref.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		index := int64(-1)
		if c, ok := at.Index.(*ssa.Const); ok {
			index = c.Int64()
		}
		for _, st := range StoresAt(at) {
			list = append(list, Element{index, st})
		}
	}
	return list
}

// Reach lists what next leads to from where it begins, each once, in the order in which
// it is met: the nearest first.
func Reach[T comparable](b *Budget, next func(T) []T, from ...T) []T {
	seen := map[T]bool{}
	var list []T
	add := func(t T) {
		if !seen[t] {
			seen[t] = true
			list = append(list, t)
		}
	}
	for _, t := range from {
		add(t)
	}
	for n := 0; n < len(list); n++ {
		if !b.Spend(1) {
			b.GiveUp("dependencies", "", Steps)
			return list[:n]
		}
		for _, t := range next(list[n]) {
			add(t)
		}
	}
	return list
}

// Any reports whether something is true of one of what next leads to from where it
// begins. It looks no further than that.
func Any[T comparable](b *Budget, is func(T) bool, next func(T) []T, from ...T) bool {
	found := false
	Reach(b, func(t T) []T {
		if found || is(t) {
			found = true
			return nil
		}
		return next(t)
	}, from...)
	return found
}

// Chosen is the one branch that decides which of two values a phi has, and these; nil where that is not
// decided by one.
func Chosen(phi *ssa.Phi) (by *ssa.If, yes, no ssa.Value) {
	b := phi.Block()
	if len(phi.Edges) != 2 || b.Idom() == nil || BranchOf(b.Idom()) == nil {
		return nil, nil, nil
	}
	by = BranchOf(b.Idom())
	whenTrue, whenFalse := Arms(by)
	for i, pred := range b.Preds {
		leads := func(arm *ssa.BasicBlock) bool {
			return pred == b.Idom() && arm == b || arm != b && arm.Dominates(pred)
		}
		switch fromTrue, fromFalse := leads(whenTrue), leads(whenFalse); {
		case fromTrue && !fromFalse:
			yes = phi.Edges[i]
		case fromFalse && !fromTrue:
			no = phi.Edges[i]
		}
	}
	if yes == nil || no == nil {
		return nil, nil, nil
	}
	return by, yes, no
}

// Edges are the values that a phi can have: those of its edges, and of the phis among
// them, but no phi.
func Edges(b *Budget, phi *ssa.Phi) []ssa.Value {
	all := Reach(b, func(v ssa.Value) []ssa.Value {
		if phi, ok := v.(*ssa.Phi); ok {
			return phi.Edges
		}
		return nil
	}, ssa.Value(phi))
	return slices.DeleteFunc(all, func(v ssa.Value) bool {
		_, ok := v.(*ssa.Phi)
		return ok
	})
}
