package latelock

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/locks"
)

// unchecked is the look that made a change of a map enter what it found missing,
// although the lock was let go of in between; nil where there is none. Where the map is
// looked at again before the change, that is again, and the look is one for those who want
// to know of it.
func (c *checker) unchecked(u *use) (look *ssa.Lookup, again *locks.Access) {
	update, ok := u.Instr.(*ssa.MapUpdate)
	if !ok || u.Of != nil || !fresh(u.f, update.Value) {
		return nil, nil
	}
	for _, acc := range u.f.Accesses {
		l, ok := acc.Instr.(*ssa.Lookup)
		if !ok || acc.Of != nil || acc.Place != u.Place || l.Index != update.Key {
			continue
		}
		if m := acc.Held[u.lock]; m != locks.Reading && m != locks.Writing {
			continue
		}
		if apart(u.f, u.lock, l, update) == nil || !decides(l, update) {
			continue
		}
		second := looksAgain(u, l)
		if second == nil || !c.log.Asks(looksOnceMore) {
			return l, nil
		}
		if c.log.Keeps() && look == nil {
			look, again = l, second
		}
	}
	return look, again
}

// fresh reports whether a value is a new object, of which there must be one only.
func fresh(f *locks.Func, v ssa.Value) bool {
	for _, v := range locks.Origins(f.Flow().Budget, v) {
		a, ok := v.(*ssa.Alloc)
		if !ok {
			return false
		}
		if _, isStruct := a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct); !isStruct {
			return false
		}
	}
	return true
}

// apart is where the lock is taken again that is let go of between a and b, nil
// for nowhere.
func apart(f *locks.Func, lock locks.Ref, a, b ssa.Instruction) *locks.Event {
	for _, free := range f.Events {
		if free.Lock != lock || free.Mode != locks.Free || !f.Flow().Dominates(a, free.Instr) {
			continue
		}
		for _, take := range f.Events {
			if take.Lock == lock && take.Mode == locks.Writing && f.Flow().Dominates(free.Instr, take.Instr) && f.Flow().Dominates(take.Instr, b) {
				return take
			}
		}
	}
	return nil
}

// decides reports whether the change happens because the look found nothing.
func decides(look *ssa.Lookup, update *ssa.MapUpdate) bool {
	return slices.ContainsFunc(flow.Conditions(update.Block()), func(c flow.Condition) bool {
		missing, known := absent(c.Value, look)
		return known && missing == c.Holds
	})
}

// absent reports whether a condition that holds says that the look found
// nothing, or that it found something.
func absent(cond ssa.Value, look *ssa.Lookup) (missing, known bool) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			missing, known = absent(c.X, look)
			return !missing, known
		}
	case *ssa.Extract:
		return false, c.Tuple == look && c.Index == 1
	case *ssa.BinOp:
		k, ok := c.Y.(*ssa.Const)
		if ok && k.IsNil() && result(c.X) == ssa.Value(look) {
			return c.Op == token.EQL, c.Op == token.EQL || c.Op == token.NEQ
		}
	}
	return false, false
}

func result(v ssa.Value) ssa.Value {
	if x, ok := v.(*ssa.Extract); ok {
		return x.Tuple
	}
	return v
}

// looksAgain is where the map is read under the lock that the change has, nil for nowhere.
func looksAgain(u *use, first *ssa.Lookup) *locks.Access {
	for _, acc := range u.f.Accesses {
		switch acc.Instr.(type) {
		case *ssa.Lookup, *ssa.Call:
		default:
			continue
		}
		if acc.Place == u.Place && acc.Instr != ssa.Instruction(first) && u.f.Flow().Dominates(acc.Instr, u.Instr) && apart(u.f, u.lock, acc.Instr, u.Instr) == nil && u.f.Flow().Dominates(first, acc.Instr) {
			return acc
		}
	}
	return nil
}

// escaped is where the function changes, behind the lock, an element of a slice
// that it took the address of under the lock. When the slice grows meanwhile,
// the element that is changed is no longer one of it.
func escaped(u *use) *locks.Access {
	load, ok := u.Instr.(*ssa.UnOp)
	if !ok || u.Of != nil || u.mode == locks.Unknown || u.mode == locks.Free {
		return nil
	}
	for _, ref := range flow.Uses(load) {
		elem, ok := ref.(*ssa.IndexAddr)
		if !ok || !isStructElem(elem) {
			continue
		}
		for _, root := range reached(u.f, elem) {
			for _, acc := range u.f.Accesses {
				if acc.Write && (acc.Place.Root == root || storesInto(acc.Instr, root)) && leftBehind(u, elem, acc.Instr) {
					return acc
				}
			}
		}
	}
	return nil
}

// storesInto reports whether an instruction stores into a struct at an address.
func storesInto(i ssa.Instruction, addr ssa.Value) bool {
	st, ok := i.(*ssa.Store)
	if !ok {
		return false
	}
	for v := st.Addr; ; {
		if v == addr {
			return true
		}
		field, ok := v.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		v = field.X
	}
}

func isStructElem(elem *ssa.IndexAddr) bool {
	_, ok := elem.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return ok
}

// leftBehind reports whether the lock under which the element was found is let
// go of before the change.
func leftBehind(u *use, elem *ssa.IndexAddr, change ssa.Instruction) bool {
	for _, ev := range u.f.Events {
		if ev.Lock == u.lock && ev.Mode == locks.Free && u.f.Flow().Dominates(ev.Instr, change) && reachable(u.f, elem.Block(), ev.Instr.Block()) {
			return true
		}
	}
	return false
}

// reached lists the values of the function that the address may become: itself,
// and what is taken out of the local slices that it is put into.
func reached(f *locks.Func, elem *ssa.IndexAddr) []ssa.Value {
	return flow.Reach(f.Flow().Budget, func(v ssa.Value) []ssa.Value {
		var list []ssa.Value
		for _, ref := range flow.Uses(v) {
			if next := becomes(v, ref, elem); next != nil {
				list = append(list, next)
			}
		}
		return list
	}, ssa.Value(elem))
}

// becomes is what an instruction makes of the address of an element, or of a slice that it
// is in; nil where that is neither.
func becomes(v ssa.Value, ref ssa.Instruction, elem *ssa.IndexAddr) ssa.Value {
	switch r := ref.(type) {
	case *ssa.Phi:
		return r
	case *ssa.Slice:
		return r
	case *ssa.IndexAddr:
		if r.X == v {
			return r
		}
	case *ssa.UnOp:
		if r.Op == token.MUL && r.X == v && v != ssa.Value(elem) {
			return r
		}
	case *ssa.Store:
		if ia, ok := r.Addr.(*ssa.IndexAddr); ok && r.Val == v {
			return ia.X
		}
	case *ssa.Call:
		if b, ok := r.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return r
		}
	}
	return nil
}
