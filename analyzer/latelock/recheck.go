package latelock

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
)

// A look is where a function asks whether an entry of a map is there, or whether a field is set.
type look struct {
	*locks.Access
	value ssa.Value // that says so
	key   ssa.Value // nil for a field
}

// An entry is what a function enters because it found nothing.
type entry struct {
	key   ssa.Value // nil for a field
	value ssa.Value
}

func lookAt(acc *locks.Access) (look, bool) {
	switch i := acc.Instr.(type) {
	case *ssa.Lookup:
		return look{acc, i, i.Index}, !acc.Write
	case *ssa.UnOp:
		return look{acc, i, nil}, !acc.Write
	}
	return look{}, false
}

func entryAt(acc *locks.Access) (entry, bool) {
	switch i := acc.Instr.(type) {
	case *ssa.MapUpdate:
		return entry{i.Key, i.Value}, true
	case *ssa.Store:
		switch i.Addr.(type) {
		case *ssa.FieldAddr, *ssa.Global:
			return entry{nil, i.Val}, true
		}
	}
	return entry{}, false
}

// unchecked is the look that made a change under the lock enter what it found missing, although the
// lock was not held since then; nil where there is none.
func (c *checker) unchecked(u *use, k *pair, r *report) *look {
	made, ok := entryAt(u.Access)
	if !ok || !u.Direct() || u.mode != locks.Writing || c.log.Asks(notShared) && c.onlyMade(u) {
		return nil
	}
	for _, acc := range u.Func.Accesses {
		l, ok := lookAt(acc)
		if !ok || acc.Place != u.Place || l.key != made.key || !decides(l, u.Instr.Block()) ||
			!isolated(u, l) || !c.loses(u, made, k) {
			continue
		}
		switch {
		case looksAgain(u, l) && r.silent(u, looksOnceMore, l.Pos, "the place is looked at again"):
		case heldFrom(u, l) && r.silent(u, anotherLock, l.Pos, "another lock is held from the look on"):
		default:
			return &l
		}
	}
	return nil
}

// isolated reports whether the lock is acquired for a change that is not held since the look.
func isolated(u *use, l look) bool {
	switch l.Held[u.Lock] {
	case locks.Reading, locks.Writing:
		return reacquired(u.Func, u.Lock, l.Instr, u.Instr) != nil
	case locks.Mixed:
		return false
	}
	return slices.ContainsFunc(u.Func.EventsOf(u.Lock), func(take *locks.Event) bool {
		fl := u.Func.Flow()
		return take.Mode == locks.Writing && fl.Dominates(l.Instr, take.Instr) && fl.Dominates(take.Instr, u.Instr)
	})
}

// heldFrom reports whether another lock is held from a look to the change that is made because of it.
func heldFrom(u *use, l look) bool {
	return slices.ContainsFunc(u.heldLocks(), func(r locks.Ref) bool {
		return r != u.Lock && l.Held[r] == locks.Writing && u.Access.Held[r] == locks.Writing &&
			reacquired(u.Func, r, l.Instr, u.Instr) == nil
	})
}

// loses reports whether something is lost where two callers enter: a new object, or a flag that says that
// something has begun. What is in memory alone, or in a field, is lost only where it can come to hold more
// than it was made of.
func (c *checker) loses(u *use, made entry, k *pair) bool {
	if v, ok := made.value.(*ssa.Const); ok && made.key == nil {
		exported := u.Func.SSA.Object() != nil && u.Func.SSA.Object().Exported()
		return exported && v.Value != nil && v.Value.Kind() == constant.Bool && constant.BoolVal(v.Value)
	}
	return c.fresh(u.Func, made.value) && (made.key != nil && !k.memory || holdsState(made.value.Type()))
}

// holdsState reports whether an object can come to hold more than it was made of: it is a map or a
// channel, or has one, or a lock, or methods that can change it.
func holdsState(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Map, *types.Chan:
		return true
	case *types.Pointer:
		st, ok := t.Elem().Underlying().(*types.Struct)
		return !ok || slices.ContainsFunc(slices.Collect(st.Fields()), func(v *types.Var) bool {
			_, isMap := v.Type().Underlying().(*types.Map)
			_, channel := v.Type().Underlying().(*types.Chan)
			return isMap || channel || known.IsLock(v.Type())
		})
	}
	return false
}

// fresh reports whether a value is a new object.
func (c *checker) fresh(f *locks.Func, v ssa.Value) bool {
	for _, v := range locks.Origins(f.Flow().Budget, v) {
		switch v := v.(type) {
		case *ssa.MakeMap, *ssa.MakeChan:
			continue
		case *ssa.Alloc:
			if _, isStruct := known.Pointee(v.Type()).Underlying().(*types.Struct); isStruct {
				continue
			}
		case *ssa.Call, *ssa.Extract:
			if _, pointer := v.Type().Underlying().(*types.Pointer); pointer && c.locks.Made(v) {
				continue
			}
		}
		return false
	}
	return true
}

// looksAgain reports whether the place is looked at under the lock that the change has.
func looksAgain(u *use, first look) bool {
	fl := u.Func.Flow()
	return slices.ContainsFunc(u.Func.Accesses, func(acc *locks.Access) bool {
		again, ok := lookAt(acc)
		m := acc.Held[u.Lock]
		return ok && acc.Place == u.Place && (again.key == nil) == (first.key == nil) &&
			(m == locks.Writing || m == locks.Reading) &&
			fl.Dominates(first.Instr, acc.Instr) && acc.Instr != first.Instr && fl.Dominates(acc.Instr, u.Instr) &&
			reacquired(u.Func, u.Lock, acc.Instr, u.Instr) == nil
	})
}

// decides reports whether control comes to a block because the look found nothing.
func decides(l look, b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(flow.Conditions(b), func(cond flow.Condition) bool {
		missing, known := absent(cond.Value, l)
		return known && missing == cond.Holds
	})
}

// absent reports whether a condition that holds says that the look found
// nothing, or that it found something.
func absent(cond ssa.Value, l look) (missing, known bool) {
	if cond == l.value && memory.IsBool(cond.Type()) {
		return false, true
	}
	switch c := cond.(type) {
	case *ssa.Extract:
		return false, c.Tuple == l.value && memory.IsBool(c.Type())
	case *ssa.BinOp:
		k, ok := c.Y.(*ssa.Const)
		if ok && k.IsNil() && (c.X == l.value || isResultOf(c.X, l.value)) {
			return c.Op == token.EQL, c.Op == token.EQL || c.Op == token.NEQ
		}
	}
	return false, false
}

// isResultOf reports whether a value is one of several results.
func isResultOf(v, tuple ssa.Value) bool {
	x, ok := v.(*ssa.Extract)
	return ok && x.Tuple == tuple
}
