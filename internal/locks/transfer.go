package locks

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
)

// A transfer is the transfer function of one function: what its instructions do to what
// is known of locks.
type transfer struct {
	s   *Package
	f   *Func
	in  map[*ssa.BasicBlock]*state
	out bool // the fixpoint is reached: events and accesses are recorded
	// roots are the values of the function that locks are named by.
	roots  map[ssa.Value]bool
	unders map[uintptr]*under // see heldAt, by the map
}

// quiet is a transfer over the same states that records nothing.
func (a *transfer) quiet() *transfer {
	return &transfer{s: a.s, f: &Func{SSA: a.f.SSA}, in: a.in, roots: a.roots}
}

// run finds what is known at the beginning of each block, then records what happens in
// each. A function for which the steps do not suffice has no locks and no accesses.
func (a *transfer) run() {
	problem := flow.Forward[*state]{Question: question, Transfer: a.leave, Join: joinStates}
	in := problem.From(a.s.flow, a.f.SSA, newState(a.f))
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

// question names what is asked of a function, for the record of what was given up.
const question = "lock state"

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
	ev.Before, ev.Instr = st.held[ev.Lock], branch
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
		ev.Before = st.held[ev.Lock]
		a.act(ev, st)
	}
}

// An outcome says that a result of a call tells of success, or of failure.
type outcome struct {
	call   ssa.Value
	result int
	ok     bool
}

// told is the outcome that a condition tests, where it is yes or where it is no.
func told(cond ssa.Value, yes bool) outcome {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return told(c.X, !yes)
		}
	case *ssa.BinOp:
		if k, ok := c.Y.(*ssa.Const); ok && k.IsNil() && (c.Op == token.NEQ || c.Op == token.EQL) {
			return source(c.X, (c.Op == token.EQL) == yes)
		}
		return outcome{}
	}
	return source(cond, yes)
}

// source is the outcome that a value is, if it is the result of a call. A
// variable is what was put into it just before.
func source(v ssa.Value, yes bool) outcome {
	switch x := v.(type) {
	case *ssa.Extract:
		return outcome{x.Tuple, x.Index, yes}
	case *ssa.Call:
		return outcome{x, 0, yes}
	case *ssa.UnOp:
		if val := justStored(x); val != nil {
			return source(val, yes)
		}
	}
	return outcome{}
}

// justStored is what the block of a load puts into the variable before it, with
// no call in between that could change it.
func justStored(load *ssa.UnOp) ssa.Value {
	if _, ok := load.X.(*ssa.Alloc); !ok || load.Op != token.MUL {
		return nil
	}
	instrs := load.Block().Instrs
	for n := slices.Index(instrs, ssa.Instruction(load)) - 1; n >= 0; n-- {
		switch i := instrs[n].(type) {
		case *ssa.Store:
			if i.Addr == load.X {
				return i.Val
			}
		case *ssa.Call, *ssa.RunDefers:
			return nil
		}
	}
	return nil
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
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
		a.renew(v, st)
	}
	switch i := i.(type) {
	case *ssa.Call:
		a.call(i, &i.Call, st, false)
	case *ssa.Defer:
		st.later(i)
	case *ssa.RunDefers:
		for n := len(st.deferred) - 1; n >= 0; n-- {
			if d := st.deferred[n]; d.maybe {
				a.maybe(n, st)
			} else {
				a.call(d.call, &d.call.Call, st, true)
			}
		}
		for r := range st.held {
			if st.dropped {
				st.lose(r)
			}
		}
	case *ssa.Go:
		a.spawn(&i.Call, st)
	case *ssa.Send:
		a.give(i.X, st)
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
		a.give(i.Value, st)
		a.access(i.Map, true, i, i.Pos(), i.Value, st)
	case *ssa.Lookup:
		a.access(i.X, false, i, i.Pos(), nil, st)
	case *ssa.Return:
		if a.out {
			a.f.exits = append(a.f.exits, exit{i, st.clone()})
		}
	}
}

// maybe applies a call that is deferred on some ways only.
func (a *transfer) maybe(n int, st *state) {
	d := st.deferred[n].call
	without := st.clone()
	forks := map[Ref]fork{}
	for r, f := range st.forks {
		if first := slices.IndexFunc(st.deferred, func(o deferral) bool { return o.call == f.call }); first <= n && n < first+f.n {
			forks[r] = f
		}
	}
	for _, r := range Sorted(forks) {
		st.stand(r, forks[r].with)
	}
	a.call(d, &d.Call, st, true)
	for _, r := range Sorted(forks) {
		f := forks[r]
		f.with = st.standing(r)
		forks[r] = f
		st.stand(r, f.with.or(f.without))
		without.stand(r, f.with.or(f.without))
	}
	st.join(without)
	for r, f := range forks {
		st.own()
		st.forks[r] = f
	}
}

// event applies what an instruction does to a lock.
func (a *transfer) event(ev *Event, i ssa.Instruction, st *state) {
	if ev == nil {
		return
	}
	ev.Instr, ev.Before, ev.Pos = i, st.held[ev.Lock], i.Pos()
	a.act(ev, st)
	if a.out {
		a.f.Events = append(a.f.Events, ev)
	}
}

// act does to a lock what an event does. Others that may be the same lock under
// another name are lost: those of one of several objects, and what was taken when
// a lock of its kind is let go of that nobody took.
func (a *transfer) act(ev *Event, st *state) {
	a.roots[ev.Lock.Root] = true
	for r, m := range st.held {
		stray := ev.Mode == Free && ev.Before == Unknown && (m == Writing || m == Reading) && r.last() == ev.Lock.last()
		if r != ev.Lock && (a.s.oneOf(r, ev.Lock) || a.s.oneOf(ev.Lock, r) || stray && !(named(r.Root) && named(ev.Lock.Root))) {
			st.lose(r)
		}
	}
	st.act(ev.Lock, ev.Mode)
}

// renew forgets the locks of what a value was when the function was here before.
func (a *transfer) renew(v ssa.Value, st *state) {
	if !a.roots[v] {
		return
	}
	for r := range st.held {
		if r.Root == v {
			st.stand(r, standing{})
		}
	}
}

// load reads the memory at an address.
func (a *transfer) load(i *ssa.UnOp, st *state) {
	switch addr := i.X.(type) {
	case *ssa.FieldAddr, *ssa.Global, *ssa.FreeVar:
		a.access(addr, false, i, i.Pos(), nil, st)
	case *ssa.IndexAddr:
		a.access(addr.X, false, i, i.Pos(), nil, st)
	}
}

// store changes the memory at an address; an element is part of its slice.
func (a *transfer) store(i *ssa.Store, st *state) {
	a.replaced(i.Addr, st)
	if _, ok := i.Addr.(*ssa.Alloc); !ok {
		a.give(i.Val, st)
	}
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

// replaced forgets the locks of the object that a place held before.
func (a *transfer) replaced(addr ssa.Value, st *state) {
	switch known.Pointee(addr.Type()).Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Struct, *types.Chan:
	default:
		return
	}
	place := Ref{Root: addr}
	switch addr.(type) {
	case *ssa.FieldAddr, *ssa.FreeVar:
		place = a.s.ref(addr)
	}
	a.replace(place, st)
}

func (a *transfer) replace(place Ref, st *state) {
	for r := range st.held {
		if r.Within(place) {
			st.lose(r)
		}
	}
	switch {
	case !a.out || !tellable(place.Root, a.f.SSA) || slices.Contains(a.f.replaces, place):
	case len(a.f.replaces) == maxReplaces:
		a.f.bounded = true
	default:
		a.f.replaces = append(a.f.replaces, place)
	}
}

// maxReplaces bounds the places of which callers learn that they are replaced; where
// there are more, the run says so.
const maxReplaces = 50

// element is the element of a slice that a field address is in.
func element(addr *ssa.FieldAddr) (*ssa.IndexAddr, bool) {
	for {
		switch x := addr.X.(type) {
		case *ssa.IndexAddr:
			return x, true
		case *ssa.FieldAddr:
			addr = x
		default:
			return nil, false
		}
	}
}

// access records that memory is touched.
func (a *transfer) access(v ssa.Value, write bool, i ssa.Instruction, pos token.Pos, val ssa.Value, st *state) {
	if !a.out {
		return
	}
	r := a.s.ref(v)
	variable := varOf(v)
	if variable == nil || !write && !a.s.beside(r) || a.s.made(r.Root) {
		return
	}
	a.f.items = append(a.f.items, item{access: &Access{
		touch: &touch{Write: write, Var: variable, Pos: pos, In: a.f.SSA, Value: val, alike: a.s.writing(a.f.SSA, val, write)},
		Spot:  a.s.spot(r), under: a.heldAt(st.modes()), site: &site{Instr: i},
	}})
}

// heldAt is what accesses share that are made with the same locks.
func (a *transfer) heldAt(modes map[Ref]Mode) *under {
	id := reflect.ValueOf(modes).Pointer()
	at := a.unders[id]
	if at == nil {
		at = &under{Held: modes}
		if a.unders == nil {
			a.unders = map[uintptr]*under{}
		}
		a.unders[id] = at
	}
	return at
}

// varOf is the field or package variable that an address or a loaded value ends
// in, nil for anything else.
func varOf(v ssa.Value) *types.Var {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return fieldOf(v.X.Type(), v.Field).Origin()
	case *ssa.Field:
		return fieldOf(v.X.Type(), v.Field).Origin()
	case *ssa.Global:
		obj, _ := v.Object().(*types.Var)
		return obj
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return varOf(v.X)
		}
	case *ssa.ChangeType:
		return varOf(v.X)
	case *ssa.Slice:
		return varOf(v.X)
	}
	return nil
}
