package lockset

import (
	"go/types"
	"maps"
	"reflect"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
)

// splice puts what a function of the package does in the place of its call.
func (a *flow) splice(callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state, deferred bool) {
	f := a.s.fn(callee)
	if f == nil {
		a.again(callee, st)
		return
	}
	if a.s.spliced[callee] == nil {
		a.s.spliced[callee] = map[ssa.Instruction]bool{}
	}
	a.s.spliced[callee][i] = true
	if a.out {
		inside := &entry{flow: a, callee: callee, args: args, st: st, held: map[uintptr]map[Ref]Mode{}, met: map[repeated]bool{}}
		for _, acc := range f.Accesses {
			a.lift(acc, inside, i, deferred)
		}
	}
	changed := map[Ref]bool{}
	for _, inv := range f.invokes {
		if inv.param < len(args) {
			a.invoke(inv, callee, args, i, st, deferred, changed)
		}
	}
	for n, arg := range args {
		if !slices.ContainsFunc(f.invokes, func(inv invocation) bool { return inv.param == n }) {
			a.give(arg, st)
		}
	}
	for _, place := range f.replaces {
		if low, ok := a.s.lowered(place, callee, args); ok {
			a.replace(low, st)
		}
	}
	a.settle(f, callee, args, i, st)
	for r := range changed {
		st.lose(r)
	}
}

// again applies a call of a function that is being computed: it may let go of
// what it lets go of elsewhere.
func (a *flow) again(callee *ssa.Function, st *state) {
	if !a.s.busy[callee] {
		return
	}
	for r, m := range st.held {
		if m != Free && a.s.busyLetsGo(r) {
			st.lose(r)
		}
	}
}

// busyLetsGo reports whether a function that is being computed lets go of a lock
// of that name itself.
func (s *Package) busyLetsGo(r Ref) bool {
	for fn := range s.busy {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				c, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if ev := s.lockCall(c.Common()); ev != nil && ev.Mode == Free && ev.Lock.last() == r.last() {
					return true
				}
			}
		}
	}
	return false
}

// invoke applies the call of a parameter within a callee. What a literal leaves
// changed cannot be told apart from what the callee does behind it.
func (a *flow) invoke(inv invocation, callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state, deferred bool, changed map[Ref]bool) {
	inside := st.clone()
	a.enter(inside, inv.held, callee, args)
	if par, ok := args[inv.param].(*ssa.Parameter); ok && a.out {
		a.invoked(par, inside.modes())
		return
	}
	fn, receiver := a.s.function(args[inv.param])
	if fn == nil {
		return
	}
	before := inside.clone()
	a.splice(fn, receiver, i, inside, deferred)
	for r, turn := range inside.turns {
		if before.turns[r] != turn {
			changed[r] = true
		}
	}
}

// lift restates an access of a callee here, with the locks of both.
func (a *flow) lift(acc *Access, to *entry, i ssa.Instruction, deferred bool) {
	limit := maxAccesses
	if deferred && acc.Write {
		limit *= 2 // it comes last
	}
	if len(a.f.Accesses) >= limit {
		return
	}
	place, ok := a.s.lowered(acc.Place, to.callee, to.args)
	if !ok || (acc.Of != nil || !acc.Write) && !a.s.beside(place) || a.s.made(place.Root) {
		return
	}
	cp := *acc
	cp.Place, cp.Instr, cp.Deferred, cp.Of = place, i, deferred, acc
	cp.Held = to.modes(acc.Held)
	if to.again(&cp) {
		return
	}
	a.f.Accesses = append(a.f.Accesses, &cp)
}

// again reports whether the call has come to such an access before: by methods of the
// same type, and with the same locks. Most accesses of a large program are those of a
// few helpers, met again on every way to them.
func (e *entry) again(acc *Access) bool {
	x := repeated{acc.Place, receiver(acc.In), acc.Value, reflect.ValueOf(acc.Held).Pointer(), acc.Write, acc.Deferred}
	if e.met[x] {
		return true
	}
	e.met[x] = true
	return false
}

// What is repeated where a call has such an access twice.
type repeated struct {
	place           Ref
	of              types.Type // the receiver
	value           ssa.Value
	held            uintptr
	write, deferred bool
}

// receiver is the type that a method is one of, or the one around a literal; nil for
// other functions.
func receiver(fn *ssa.Function) types.Type {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if recv := fn.Signature.Recv(); recv != nil {
		return types.Unalias(known.Pointee(recv.Type()))
	}
	return nil
}

// An entry is a call of a function, and what is held inside of it; accesses under
// the same locks share what is held at them.
type entry struct {
	flow   *flow
	callee *ssa.Function
	args   []ssa.Value
	st     *state
	held   map[uintptr]map[Ref]Mode // by the map of the callee

	modesMet []map[Ref]Mode
	met      map[repeated]bool
}

// modes are the modes of the caller under those that an access has in the callee.
func (e *entry) modes(held map[Ref]Mode) map[Ref]Mode {
	id := reflect.ValueOf(held).Pointer()
	modes, ok := e.held[id]
	if !ok {
		inside := e.st.clone()
		e.flow.enter(inside, held, e.callee, e.args)
		modes = e.only(inside.modes())
		e.held[id] = modes
	}
	return modes
}

// only is the first of the modes of this call that were the same.
func (e *entry) only(modes map[Ref]Mode) map[Ref]Mode {
	for _, first := range e.modesMet {
		if maps.Equal(first, modes) {
			return first
		}
	}
	e.modesMet = append(e.modesMet, modes)
	return modes
}

// enter lays the modes of a callee over those of the caller.
func (a *flow) enter(st *state, held map[Ref]Mode, callee *ssa.Function, args []ssa.Value) {
	for r, m := range held {
		if m == Unknown {
			continue
		}
		if low, ok := a.s.lowered(r, callee, args); ok {
			st.set(low, m)
		}
	}
}

// settle applies what a callee has done to locks when it returns.
func (a *flow) settle(f *Func, callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state) {
	for _, l := range f.net {
		low, ok := a.s.lowered(l.lock, callee, args)
		if !ok {
			continue
		}
		a.roots[low.Root] = true
		before := st.standing(low)
		ev := &Event{Lock: low, Mode: l.ok.mode, tried: l.tried}
		switch {
		case l.ok != l.fail:
			if l.ok.turn == 0 {
				ev.Mode = l.fail.mode
			}
			ev.Cancellable = true
			a.event(ev, i, st)
			last := callee.Signature.Results().Len() - 1
			a.wait(low, i, pending{result: last, ok: l.ok.after(before), fail: l.fail.after(before)}, st)
		case l.ok.turn != 0:
			a.event(ev, i, st)
			st.stand(low, l.ok.after(before))
		default:
			st.stand(low, l.ok.after(before))
		}
	}
}
