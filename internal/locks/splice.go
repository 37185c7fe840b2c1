package locks

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// splice puts what a function of the package does in the place of its call.
func (a *transfer) splice(callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state, deferred bool) {
	f := a.s.fn(callee)
	if f == nil {
		return
	}
	a.s.flow.Spend(1 + len(f.net) + len(f.invokes) + len(f.replaces))
	if a.out {
		a.f.items = append(a.f.items, item{call: &call{callee: callee, args: args, instr: i, deferred: deferred, held: st.modes()}})
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
		if low, ok := a.s.lowered(place, a.f.SSA, callee, args); ok {
			a.replace(low, st)
		}
	}
	a.settle(f, callee, args, i, st)
	for _, r := range Sorted(changed) {
		st.lose(r)
	}
}

// invoke applies the call of a parameter within a callee. What a literal leaves
// changed cannot be told apart from what the callee does behind it.
func (a *transfer) invoke(inv invocation, callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state, deferred bool, changed map[Ref]bool) {
	inside := st.clone()
	a.s.enter(inside, inv.held, a.f.SSA, callee, args)
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

// enter lays the modes of a callee over those of the caller.
func (s *Package) enter(st *state, held map[Ref]Mode, caller, callee *ssa.Function, args []ssa.Value) {
	s.enterInOrder(st, Sorted(held), held, caller, callee, args)
}

// enterInOrder is enter, where the order of the locks is known.
func (s *Package) enterInOrder(st *state, order []Ref, held map[Ref]Mode, caller, callee *ssa.Function, args []ssa.Value) {
	for _, r := range order {
		if held[r] == Unknown {
			continue
		}
		if low, ok := s.lowered(r, caller, callee, args); ok {
			st.set(low, held[r])
		}
	}
}

// settle applies what a callee has done to locks when it returns.
func (a *transfer) settle(f *Func, callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state) {
	for _, l := range f.net {
		low, ok := a.s.lowered(l.lock, a.f.SSA, callee, args)
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
			if _, now := i.(*ssa.Call); now && a.out && l.ok.mode == Free && (before.mode == Unknown || before.mode == Free) {
				a.f.Visits = append(a.f.Visits, &Event{Lock: low, Mode: Writing, Before: before.mode, Instr: i, Pos: i.Pos()})
			}
			st.stand(low, l.ok.after(before))
		}
	}
}
