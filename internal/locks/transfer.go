package locks

import (
	"cmp"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// quiet is a transfer over the same states that records nothing.
func (a *transfer) quiet() *transfer {
	return &transfer{s: a.s, f: &Func{SSA: a.f.SSA}, in: a.in, roots: a.roots}
}

// told is the outcome that a condition tests, where it is yes or where it is no.
func told(cond ssa.Value, yes bool) outcome {
	switch c := cond.(type) {
	case *ssa.BinOp:
		if k, ok := c.Y.(*ssa.Const); ok && k.IsNil() && (c.Op == token.NEQ || c.Op == token.EQL) {
			return source(c.X, (c.Op == token.EQL) == yes)
		}
		return outcome{}
	}
	return source(cond, yes)
}

// source is the outcome that a value is, if it is the result of a call.
func source(v ssa.Value, yes bool) outcome {
	switch x := v.(type) {
	case *ssa.Extract:
		return outcome{x.Tuple, x.Index, yes}
	case *ssa.Call:
		return outcome{x, 0, yes}
	}
	return outcome{}
}

// event applies what an instruction does to a lock.
func (a *transfer) event(ev *Event, i ssa.Instruction, st *state) {
	if ev == nil {
		return
	}
	ev.Instr, ev.Before, ev.Pos = i, st.held[ev.Lock].Mode, i.Pos()
	a.act(ev, st)
	if a.out {
		a.f.Events = append(a.f.Events, ev)
	}
}

// act does to a lock what an event does. Others that may be the same lock under
// another name are lost: what was taken when a lock of its kind is let go of that nobody took.
func (a *transfer) act(ev *Event, st *state) {
	a.roots[ev.Lock.Root] = true
	if ev.Mode == Free && ev.Before == Unknown {
		for r, l := range st.held {
			if (l.Mode == Writing || l.Mode == Reading) && r != ev.Lock && r.last() == ev.Lock.last() &&
				!(named(r.Root) && named(ev.Lock.Root)) {
				st.lose(r)
			}
		}
	}
	st.act(ev.Lock, ev.Mode)
}

// forget forgets the locks of what a value was when the function was here before.
func (a *transfer) forget(v ssa.Value, st *state) {
	if !a.roots[v] {
		return
	}
	for r := range st.held {
		if r.Root == v {
			st.stand(r, lockState{})
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

// access records that memory is touched. Who only reads what no lock stands beside tells nothing, and
// what the function has made itself is its own.
func (a *transfer) access(v ssa.Value, write bool, i ssa.Instruction, pos token.Pos, val ssa.Value, st *state) {
	if !a.out {
		return
	}
	r, variable := a.s.ref(v), varOf(v)
	if variable == nil || !write && !a.s.guardable(r) || a.s.Made(r.Root) {
		return
	}
	// What a loop over a list loads stands nowhere: its place is that of the list.
	pos = cmp.Or(pos, v.Pos(), a.f.SSA.Pos())
	a.f.Accesses = append(a.f.Accesses, &Access{
		Func: a.f, Instr: i, Pos: pos, Place: r, Var: variable, Write: write, Value: val, Held: st.modes(),
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
