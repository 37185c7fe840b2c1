package latelock

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/locks"
)

// misled reports whether a look outside of the lock may meet a change: the place stands
// beside the lock, a function that has nothing to do with this one changes it under the
// lock, and next to nobody uses it without. Looks at what a pointer leads to, or at who a
// function works with, say little: such is often set once.
func (c *checker) misled(u *use, g *guard, r *report) bool {
	if strings.Contains(u.Place.Path[len(parent(u.lock.Path)):], ".") || !c.goesBy(u) {
		return false
	}
	others, all := g.others(g.held, u), g.others(g.all, u)
	if !c.log.Asks(nextToAll) || len(others) < 2 || 5*len(others) < 4*len(all) {
		return false
	}
	if c.parted(u) && r.silent([]*use{u}, keepsOut, token.NoPos, "others are kept from it") {
		return false
	}
	_, list := known.Pointee(u.Instr.(ssa.Value).Type()).Underlying().(*types.Slice)
	changes := func(o *use) bool {
		return o.Write && o.mode == locks.Writing && (!list || o.Value != nil) && outermost(o.f.SSA) != outermost(u.f.SSA) && promised(c.log, o) == nil // not an element, which need not be the one
	}
	if !slices.ContainsFunc(g.held, changes) {
		return false
	}
	return slices.ContainsFunc(g.held, func(o *use) bool { return changes(o) && c.apartFrom(u, o) }) || !r.silent([]*use{u}, oneHand, token.NoPos, "who changes it is part of what looks")
}

// overwrites is the call of a function which changes the place under the lock, and is given
// what comes of the look: what others change in between is lost. It is nil for none.
func (c *checker) overwrites(u *use) *locks.Event {
	look, ok := u.Instr.(ssa.Value)
	if !ok || u.mode != locks.Unknown || len(u.f.Visits) == 0 || !c.locks.Entered(u.f.SSA) {
		return nil
	}
	for _, acc := range u.f.Accesses {
		call, ok := acc.Instr.(*ssa.Call)
		if !ok || acc.Of == nil || !acc.Write || acc.Place != u.Place || acc.Held[u.lock] != locks.Writing || acc.Value == nil || !u.f.Flow().Dominates(u.Instr, call) {
			continue
		}
		at := slices.IndexFunc(u.f.Visits, func(ev *locks.Event) bool { return ev.Lock == u.lock && ev.Instr == acc.Instr })
		if at >= 0 && slices.ContainsFunc(flow.Reach(u.f.Flow().Budget, flow.OperandsOf, call.Call.Args...), func(v ssa.Value) bool { return v == look }) {
			return u.f.Visits[at]
		}
	}
	return nil
}

// parent is what leads to the struct that a field is in, with the dot behind it.
func parent(path string) string { return path[:strings.LastIndexByte(path, '.')+1] }

// apartFrom reports whether two uses can happen at a time: neither function leads to the
// other, and the one that changes is no part of what a single goroutine does.
func (c *checker) apartFrom(u, o *use) bool {
	here, there := outermost(u.f.SSA), outermost(o.f.SSA)
	f, g := c.p.Of(here), c.p.Of(there)
	return f != nil && g != nil && !c.p.CanCall(f, g) && !c.p.CanCall(g, f) && c.p.Callers().Goroutine(there) == nil
}

// goesBy reports whether the function goes by what it sees: a branch depends on it, or it
// is a map or a list of which elements are taken.
func (c *checker) goesBy(u *use) bool {
	v, ok := origin(u.Access).Instr.(ssa.Value)
	if !ok {
		return false
	}
	switch known.Pointee(v.Type()).Underlying().(type) {
	case *types.Map, *types.Slice:
		if _, load := v.(*ssa.UnOp); load {
			return slices.ContainsFunc(flow.Uses(v), takesElement)
		}
	}
	tests := func(v ssa.Value) bool {
		return slices.ContainsFunc(flow.Uses(v), func(i ssa.Instruction) bool { _, ok := i.(*ssa.If); return ok })
	}
	return flow.Any(u.f.Flow().Budget, tests, func(v ssa.Value) []ssa.Value {
		var list []ssa.Value
		for _, i := range flow.Uses(v) {
			switch i := i.(type) {
			case *ssa.UnOp:
				if i.Op == token.NOT {
					list = append(list, i)
				}
			case *ssa.BinOp:
				list = append(list, i)
			case *ssa.Extract:
				list = append(list, i)
			case *ssa.Call: // of a value that is handed over as it is
				if slices.Contains(i.Call.Args, v) && isPlain(v.Type()) {
					list = append(list, i)
				}
			}
		}
		return list
	}, v)
}

// isPlain reports whether what a call does with a value of a type is to look at it, as a rule: it is
// no map, list or pointer, though it may have a pointer in it, as a time has one to its zone.
func isPlain(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Struct:
		for f := range t.Fields() {
			if _, pointer := f.Type().Underlying().(*types.Pointer); !pointer && !isPlain(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

func takesElement(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Lookup, *ssa.Range, *ssa.IndexAddr, *ssa.Index:
		return true
	case *ssa.Call:
		b, ok := i.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == "len"
	}
	return false
}

// parted reports whether the function keeps others from the place in another way when it lets
// go of the lock: it closes a channel or sets a flag before, as who stops something does, or
// waits for another goroutine between the lock and the use.
func (c *checker) parted(u *use) bool {
	late := tooLate(u)
	if late == nil {
		return false
	}
	parting, known := c.parting[u.f.SSA]
	if !known {
		for i := range flow.Instrs(u.f.SSA) {
			if claims(i) || awaits(i) {
				parting = append(parting, i)
			}
		}
		c.parting[u.f.SSA] = parting
	}
	for _, i := range parting {
		if claims(i) && u.f.Flow().Dominates(i, late.Instr) || awaits(i) && u.f.Flow().Dominates(late.Instr, i) && u.f.Flow().Dominates(i, u.Instr) {
			return true
		}
	}
	return false
}

// claims reports whether an instruction closes a channel, or sets a field to a constant.
func claims(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Call:
		b, ok := i.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == "close"
	case *ssa.Store:
		_, field := i.Addr.(*ssa.FieldAddr)
		_, constant := i.Val.(*ssa.Const)
		return field && constant
	}
	return false
}

// awaits reports whether an instruction waits for another goroutine.
func awaits(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Select:
		return true
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Call:
		callee := i.Call.StaticCallee()
		return callee != nil && callee.Name() == "Wait"
	}
	return false
}
