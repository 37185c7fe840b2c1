package lockset

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
)

// A flow computes one function.
type flow struct {
	s   *Package
	f   *Func
	in  map[*ssa.BasicBlock]*state
	out bool // the fixpoint is reached: events and accesses are recorded
	// roots are the values of the function that locks are named by.
	roots map[ssa.Value]bool
}

// quiet is a flow over the same states that records nothing.
func (a *flow) quiet() *flow {
	return &flow{s: a.s, f: &Func{SSA: a.f.SSA}, in: a.in, roots: a.roots}
}

// run iterates to the fixpoint, earlier blocks first, then records what happens
// in each block. Modes only ever turn Mixed, so that it ends.
func (a *flow) run() {
	fn := a.f.SSA
	order := postorder(fn)
	slices.Reverse(order)
	dirty := make([]bool, len(fn.Blocks))
	a.in[fn.Blocks[0]] = newState()
	dirty[0] = true
	for again := true; again; {
		again = false
		for _, b := range order {
			if !dirty[b.Index] {
				continue
			}
			dirty[b.Index] = false
			st := a.in[b].clone()
			if !a.block(b, st) {
				continue
			}
			for i, succ := range b.Succs {
				next := a.edge(b, i, st)
				if old := a.in[succ]; old == nil {
					a.in[succ] = next
				} else if !old.join(next) {
					continue
				}
				dirty[succ.Index], again = true, true
			}
		}
	}
	a.out = true
	for _, b := range fn.DomPreorder() {
		if st := a.in[b]; st != nil {
			a.record(b, st.clone())
		}
	}
}

// postorder lists the blocks that can be reached, each behind its successors
// but for loops.
func postorder(fn *ssa.Function) []*ssa.BasicBlock {
	type step struct {
		b    *ssa.BasicBlock
		next int
	}
	var list []*ssa.BasicBlock
	seen := make([]bool, len(fn.Blocks))
	seen[0] = true
	stack := []step{{b: fn.Blocks[0]}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.b.Succs) {
			list = append(list, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		succ := top.b.Succs[top.next]
		top.next++
		if !seen[succ.Index] {
			seen[succ.Index] = true
			stack = append(stack, step{b: succ})
		}
	}
	return list
}

// record applies a block and notes what a select at its end does.
func (a *flow) record(b *ssa.BasicBlock, st *state) {
	if !a.block(b, st) {
		return
	}
	cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return
	}
	ev := a.selected(cond.Cond, true)
	if ev == nil {
		return
	}
	ev.Before, ev.Instr = st.held[ev.Lock], cond
	if to := b.Succs[0]; len(to.Preds) == 1 {
		ev.Instr = to.Instrs[0]
	}
	a.f.Events = append(a.f.Events, ev)
}

// edge is the state on the way to a successor: a condition tells whether a call
// took a lock, and which way a select went.
func (a *flow) edge(b *ssa.BasicBlock, succ int, st *state) *state {
	next := st.clone()
	cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return next
	}
	yes := succ == 0
	if o := told(cond.Cond, yes); o.call != nil {
		next.decide(o)
	}
	if ev := a.selected(cond.Cond, yes); ev != nil {
		ev.Before = next.held[ev.Lock]
		a.act(ev, next)
	}
	return next
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
func (a *flow) selected(cond ssa.Value, yes bool) *Event {
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

// block applies the instructions of a block to st. It reports whether its end
// is reached.
func (a *flow) block(b *ssa.BasicBlock, st *state) bool {
	for _, i := range b.Instrs {
		a.s.work++
		a.instr(i, st)
		if c, ok := i.(*ssa.Call); ok && a.s.ends(&c.Call) {
			return false
		}
	}
	return true
}

// ends reports whether a call never returns: it ends the program or the
// goroutine, or loops for ever.
func (s *Package) ends(c *ssa.CallCommon) bool {
	if body := s.effects.Body(c); body != nil {
		f := s.byFn[body]
		return f != nil && len(f.exits) == 0 && body.Recover == nil
	}
	callee := c.StaticCallee()
	if callee == nil || callee.Object() == nil {
		return false
	}
	switch known.Path(callee.Object()) {
	case "os":
		return callee.Name() == "Exit"
	case "runtime":
		return callee.Name() == "Goexit"
	case "log":
		return strings.HasPrefix(callee.Name(), "Fatal") || strings.HasPrefix(callee.Name(), "Panic")
	}
	return false
}

func (a *flow) instr(i ssa.Instruction, st *state) {
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
func (a *flow) maybe(n int, st *state) {
	d := st.deferred[n].call
	without := st.clone()
	forks := map[Ref]fork{}
	for r, f := range st.forks {
		if first := slices.IndexFunc(st.deferred, func(o deferral) bool { return o.call == f.call }); first <= n && n < first+f.n {
			forks[r] = f
		}
	}
	for r, f := range forks {
		st.stand(r, f.with)
	}
	a.call(d, &d.Call, st, true)
	for r, f := range forks {
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
func (a *flow) event(ev *Event, i ssa.Instruction, st *state) {
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
func (a *flow) act(ev *Event, st *state) {
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
func (a *flow) renew(v ssa.Value, st *state) {
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
func (a *flow) load(i *ssa.UnOp, st *state) {
	switch addr := i.X.(type) {
	case *ssa.FieldAddr, *ssa.Global, *ssa.FreeVar:
		a.access(addr, false, i, i.Pos(), nil, st)
	case *ssa.IndexAddr:
		a.access(addr.X, false, i, i.Pos(), nil, st)
	}
}

// store changes the memory at an address; an element is part of its slice.
func (a *flow) store(i *ssa.Store, st *state) {
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
func (a *flow) replaced(addr ssa.Value, st *state) {
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

func (a *flow) replace(place Ref, st *state) {
	for r := range st.held {
		if r.Within(place) {
			st.lose(r)
		}
	}
	if a.out && !slices.Contains(a.f.replaces, place) && len(a.f.replaces) < maxReplaces {
		a.f.replaces = append(a.f.replaces, place)
	}
}

// maxReplaces bounds the places of which callers learn that they are replaced.
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
func (a *flow) access(v ssa.Value, write bool, i ssa.Instruction, pos token.Pos, val ssa.Value, st *state) {
	if !a.out {
		return
	}
	r := a.s.ref(v)
	variable := varOf(v)
	if variable == nil || !write && !a.s.beside(r) || a.s.made(r.Root) {
		return
	}
	a.f.Accesses = append(a.f.Accesses, &Access{
		Place: r, Write: write, Var: variable, Held: st.modes(),
		Instr: i, Pos: pos, In: a.f.SSA, Value: val,
	})
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

// made reports whether a value is an object that the function made itself, or
// got from a function of the package that made it.
func (s *Package) made(v ssa.Value) bool {
	if fresh(v) {
		return true
	}
	index := 0
	if x, ok := v.(*ssa.Extract); ok {
		v, index = x.Tuple, x.Index
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	body := s.effects.Body(&call.Call)
	if body == nil {
		return false
	}
	res := resultOf{body, index}
	isMade, ok := s.fresh[res]
	if !ok {
		isMade = s.makes(res)
		s.fresh[res] = isMade
	}
	return isMade
}

// makes reports whether a result is always an object that the function made and
// gave to nobody else.
func (s *Package) makes(res resultOf) bool {
	found := false
	for _, b := range res.fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || res.i >= len(ret.Results) {
			continue
		}
		if c, ok := ret.Results[res.i].(*ssa.Const); ok && c.IsNil() {
			continue
		}
		if root := s.ref(ret.Results[res.i]).Root; !fresh(root) || s.handedOut(root) {
			return false
		}
		found = true
	}
	return found
}

// handedOut reports whether a function puts an object that it makes where others
// find it, or starts a goroutine with it.
func (s *Package) handedOut(root ssa.Value) bool {
	seen := map[ssa.Value]bool{}
	var out func(v ssa.Value) bool
	out = func(v ssa.Value) bool {
		if seen[v] || v.Referrers() == nil {
			return false
		}
		seen[v] = true
		return slices.ContainsFunc(*v.Referrers(), func(i ssa.Instruction) bool {
			switch i := i.(type) {
			case *ssa.Store:
				if cell, ok := i.Addr.(*ssa.Alloc); ok && i.Val == v {
					return out(cell)
				}
				return i.Val == v && !fresh(s.ref(i.Addr).Root)
			case *ssa.MapUpdate:
				return i.Value == v && !fresh(s.ref(i.Map).Root)
			case *ssa.MakeInterface:
				return out(i)
			case *ssa.MakeClosure:
				return out(i)
			case *ssa.Send:
				return i.X == v
			case *ssa.Go:
				return true
			}
			return false
		})
	}
	for v := range Origins(root) {
		if out(v) {
			return true
		}
	}
	return false
}
