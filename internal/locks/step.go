package locks

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
)

// run finds what is known at the beginning of each block, then records what happens in
// each. A function for which the steps do not suffice has no locks and no accesses.
func (a *transfer) run() {
	problem := flow.Forward[*state]{Question: question, Transfer: a.leave, Join: joinStates}
	in := problem.From(a.s.flow, a.f.SSA, &state{held: Held{}, of: a.f})
	if a.s.flow.Ended() {
		return
	}
	a.in, a.out = in, true
	for _, b := range a.f.SSA.DomPreorder() {
		if st := a.in[b]; st != nil {
			a.record(b, st.clone())
		}
	}
}

// record applies a block and notes what a select at its end does.
func (a *transfer) record(b *ssa.BasicBlock, st *state) {
	branch := flow.BranchOf(b)
	if !a.block(b, st) || branch == nil {
		return
	}
	ev := a.selected(branch.Cond, true)
	if ev == nil {
		return
	}
	ev.Before, ev.Instr = st.held[ev.Lock].Mode, branch
	if to, _ := flow.Arms(branch); !flow.Joined(to) {
		ev.Instr = to.Instrs[0]
	}
	a.f.Events = append(a.f.Events, ev)
}

// leave applies a block, and tells what is known on the way to each successor: a
// condition tells whether a call took a lock, and which way a select went.
func (a *transfer) leave(b *ssa.BasicBlock, _ int, in *state, leave func(succ int, out *state)) {
	st := in.clone()
	if !a.block(b, st) {
		return
	}
	branch := flow.BranchOf(b)
	flow.Leave(b, st, func(succ int, st *state) {
		next := st.clone()
		if branch != nil {
			a.branch(branch.Cond, succ == 0, next)
		}
		leave(succ, next)
	})
}

// branch applies that a condition is yes, or that it is no.
func (a *transfer) branch(cond ssa.Value, yes bool, st *state) {
	if o := told(cond, yes); o.call != nil {
		st.decide(o)
	}
	if ev := a.selected(cond, yes); ev != nil {
		ev.Before = st.held[ev.Lock].Mode
		a.act(ev, st)
	}
}

// selected is what a select does to a lock when the condition is yes.
func (a *transfer) selected(cond ssa.Value, yes bool) *Event {
	c, ok := cond.(*ssa.BinOp)
	if !ok || c.Op != token.EQL || !yes {
		return nil
	}
	x, ok := c.X.(*ssa.Extract)
	if !ok || x.Index != 0 {
		return nil
	}
	sel, ok := x.Tuple.(*ssa.Select)
	k, isConst := c.Y.(*ssa.Const)
	if !ok || !isConst {
		return nil
	}
	i := int(k.Int64())
	if i < 0 || i >= len(sel.States) {
		return nil
	}
	dir := token.ARROW // a receive
	if sel.States[i].Dir == types.SendOnly {
		dir = token.MUL
	}
	ev := a.s.token(sel.States[i].Chan, dir)
	if ev == nil {
		return nil
	}
	ev.Pos = sel.States[i].Pos
	if ev.Mode == Writing {
		ev.Cancellable = len(sel.States) > 1 || !sel.Blocking
	}
	return ev
}

// block applies the instructions of a block to st. It reports whether its end is
// reached.
func (a *transfer) block(b *ssa.BasicBlock, st *state) bool {
	for _, i := range b.Instrs {
		a.instr(i, st)
		if c, ok := i.(*ssa.Call); ok && a.s.flow.Ends(c) {
			return false
		}
	}
	return true
}

func (a *transfer) instr(i ssa.Instruction, st *state) {
	if v, ok := i.(ssa.Value); ok {
		a.forget(v, st)
	}
	switch i := i.(type) {
	case *ssa.Call:
		a.call(i, &i.Call, st, false)
	case *ssa.Defer:
		st.later(i)
	case *ssa.RunDefers:
		for n := len(st.deferred) - 1; n >= 0; n-- {
			if d := st.deferred[n]; d.maybe {
				a.maybe(d.call, st)
			} else {
				a.call(d.call, &d.call.Call, st, true)
			}
		}
		for r := range st.held {
			if st.dropped {
				st.lose(r)
			}
		}
	case *ssa.Send:
		a.event(a.s.token(i.Chan, token.MUL), i, st)
	case *ssa.UnOp:
		switch i.Op {
		case token.ARROW:
			a.event(a.s.token(i.X, token.ARROW), i, st)
		case token.MUL:
			a.load(i, st)
		}
	case *ssa.Store:
		a.store(i, st)
	case *ssa.MapUpdate:
		a.access(i.Map, true, i, i.Pos(), i.Value, st)
	case *ssa.Lookup:
		a.access(i.X, false, i, i.Pos(), nil, st)
	case *ssa.Return:
		if a.out {
			a.f.exits = append(a.f.exits, exit{i, st.clone()})
		}
	}
}

// maybe applies a call that is deferred on some paths only.
func (a *transfer) maybe(d *ssa.Defer, st *state) {
	without := st.clone()
	a.call(d, &d.Call, st, true)
	st.join(without)
}

// store changes the memory at an address; an element is part of its slice.
func (a *transfer) store(i *ssa.Store, st *state) {
	switch addr := i.Addr.(type) {
	case *ssa.FieldAddr:
		if ia, ok := element(addr); ok {
			a.access(ia.X, true, i, i.Pos(), nil, st)
			return
		}
		a.access(addr, true, i, i.Pos(), i.Val, st)
	case *ssa.Global:
		a.access(addr, true, i, i.Pos(), i.Val, st)
	case *ssa.IndexAddr:
		a.access(addr.X, true, i, i.Pos(), nil, st)
	}
}
