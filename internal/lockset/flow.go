package lockset

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A state is what is known at one point: the modes of the locks, and the calls
// that wait for the function to return.
type state struct {
	held     map[Ref]Mode
	deferred []*ssa.Defer
}

func (s *state) clone() *state {
	return &state{maps.Clone(s.held), slices.Clone(s.deferred)}
}

func (s *state) set(r Ref, m Mode) { s.held[r] = m }

// join keeps what both know. It reports whether s changed.
func (s *state) join(o *state) bool {
	changed := false
	for r := range o.held {
		if _, ok := s.held[r]; !ok && o.held[r] != Unknown {
			s.held[r], changed = Mixed, true
		}
	}
	for r, m := range s.held {
		if m != Mixed && o.held[r] != m {
			s.held[r], changed = Mixed, true
		}
	}
	n := 0
	for n < len(s.deferred) && n < len(o.deferred) && s.deferred[n] == o.deferred[n] {
		n++
	}
	if n < len(s.deferred) {
		s.deferred, changed = s.deferred[:n], true
	}
	return changed
}

// A flow computes one function.
type flow struct {
	s   *Package
	f   *Func
	in  map[*ssa.BasicBlock]*state
	out bool // the fixpoint is reached: events and accesses are recorded
	// failing are the states behind calls that failed to take a lock.
	refused map[ssa.Value][]Ref
}

// run iterates to the fixpoint, then records what happens in each block.
func (a *flow) run() {
	fn := a.f.SSA
	a.refused = map[ssa.Value][]Ref{}
	a.in[fn.Blocks[0]] = &state{held: map[Ref]Mode{}}
	work := []*ssa.BasicBlock{fn.Blocks[0]}
	for steps := 0; len(work) > 0 && steps < 64*len(fn.Blocks); steps++ {
		b := work[0]
		work = work[1:]
		st := a.in[b].clone()
		a.block(b, st)
		for i, succ := range b.Succs {
			next := a.edge(b, i, st)
			if old := a.in[succ]; old == nil {
				a.in[succ] = next
			} else if !old.join(next) {
				continue
			}
			if !slices.Contains(work, succ) {
				work = append(work, succ)
			}
		}
	}
	a.out = true
	for _, b := range fn.DomPreorder() {
		if st := a.in[b]; st != nil {
			a.block(b, st.clone())
		}
	}
}

// edge is the state on the way to a successor: a lock that a condition shows to
// be refused is not held there, and one that a select took is.
func (a *flow) edge(b *ssa.BasicBlock, succ int, st *state) *state {
	next := st.clone()
	cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return next
	}
	yes := succ == 0
	if v, taken := a.outcome(cond.Cond, yes); v != nil && !taken {
		for _, r := range a.refused[v] {
			next.set(r, Free)
		}
	}
	if ev := a.selected(cond.Cond, yes); ev != nil {
		ev.Before = next.held[ev.Lock]
		ev.Instr = cond
		next.set(ev.Lock, ev.Mode)
	}
	return next
}

// outcome is the call whose success a condition tests, and whether it succeeded
// where the condition is yes.
func (a *flow) outcome(cond ssa.Value, yes bool) (ssa.Value, bool) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return a.outcome(c.X, !yes)
		}
	case *ssa.BinOp:
		if k, ok := c.Y.(*ssa.Const); ok && k.IsNil() && (c.Op == token.NEQ || c.Op == token.EQL) {
			return source(c.X), (c.Op == token.EQL) == yes
		}
		return nil, false
	}
	return source(cond), yes
}

// source is the call that a value is a result of.
func source(v ssa.Value) ssa.Value {
	if x, ok := v.(*ssa.Extract); ok {
		return x.Tuple
	}
	return v
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

// block applies the instructions of a block to st.
func (a *flow) block(b *ssa.BasicBlock, st *state) {
	for _, pred := range b.Preds {
		if cond, ok := pred.Instrs[len(pred.Instrs)-1].(*ssa.If); ok && a.out && len(b.Preds) == 1 {
			if ev := a.selected(cond.Cond, pred.Succs[0] == b); ev != nil {
				ev.Before = a.before(pred, ev.Lock)
				ev.Instr = b.Instrs[0]
				a.f.Events = append(a.f.Events, ev)
			}
		}
	}
	for _, i := range b.Instrs {
		a.instr(i, st)
	}
}

// before is the mode of a lock at the end of a block.
func (a *flow) before(b *ssa.BasicBlock, r Ref) Mode {
	quiet := &flow{s: a.s, f: &Func{SSA: a.f.SSA}, in: a.in, refused: map[ssa.Value][]Ref{}}
	st := a.in[b].clone()
	for _, i := range b.Instrs {
		quiet.instr(i, st)
	}
	return st.held[r]
}

func (a *flow) instr(i ssa.Instruction, st *state) {
	switch i := i.(type) {
	case *ssa.Call:
		a.call(i, &i.Call, st, false)
	case *ssa.Defer:
		st.deferred = append(st.deferred, i)
		if len(st.deferred) > 32 {
			st.deferred = st.deferred[1:]
		}
	case *ssa.RunDefers:
		for n := len(st.deferred) - 1; n >= 0; n-- {
			d := st.deferred[n]
			a.call(d, &d.Call, st, true)
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
			a.f.exits = append(a.f.exits, exit{i, maps.Clone(st.held)})
		}
	}
}

// event applies what an instruction does to a lock.
func (a *flow) event(ev *Event, i ssa.Instruction, st *state) {
	if ev == nil {
		return
	}
	ev.Instr, ev.Before, ev.Pos = i, st.held[ev.Lock], i.Pos()
	st.set(ev.Lock, ev.Mode)
	if a.out {
		a.f.Events = append(a.f.Events, ev)
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
	r := ref(v)
	variable := varOf(v)
	if variable == nil || a.s.made(r.Root) {
		return
	}
	a.f.Accesses = append(a.f.Accesses, &Access{
		Place: r, Write: write, Var: variable, Held: maps.Clone(st.held),
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
	found := false
	for _, b := range body.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || index >= len(ret.Results) {
			continue
		}
		if c, ok := ret.Results[index].(*ssa.Const); ok && c.IsNil() {
			continue
		}
		if !fresh(ref(ret.Results[index]).Root) {
			return false
		}
		found = true
	}
	return found
}
