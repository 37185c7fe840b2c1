package latelock

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
)

// A look is where a function asks whether an entry of a map is there.
type look struct {
	*locks.Access
	entry *ssa.Lookup
}

func lookAt(acc *locks.Access) (look, bool) {
	i, ok := acc.Instr.(*ssa.Lookup)
	return look{acc, i}, ok
}

// unchecked is the look that made a change under the lock enter what it found missing, although the
// lock was not held since then; nil where there is none.
func (c *checker) unchecked(u *use, k *pair, r *report) *look {
	made, ok := u.Access.Instr.(*ssa.MapUpdate)
	if !ok || !u.Direct() || u.mode != locks.Writing || c.log.Asks(notShared) && c.onlyMade(u) {
		return nil
	}
	for _, acc := range u.Func.Accesses {
		l, ok := lookAt(acc)
		if !ok || acc.Place != u.Place || l.entry.Index != made.Key || !decides(l, u.Instr.Block()) ||
			!isolated(u, l) || !c.loses(u, made.Value, k) {
			continue
		}
		if !looksAgain(u, l) || !r.silent(u, looksOnceMore, l.Pos, "the place is looked at again") {
			return &l
		}
	}
	return nil
}

// isolated reports whether the lock is released after a look, and acquired again for a change.
func isolated(u *use, l look) bool {
	m := l.Held[u.Lock].Mode
	return (m == locks.Reading || m == locks.Writing) && reacquired(u.Func, u.Lock, l.Instr, u.Instr) != nil
}

// loses reports whether something is lost where two callers enter a new object: what is in memory
// alone only where it can come to hold more than it was made of.
func (c *checker) loses(u *use, made ssa.Value, k *pair) bool {
	return c.fresh(u.Func, made) && (!k.memory || holdsState(made.Type()))
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
		_, ok := lookAt(acc)
		m := acc.Held[u.Lock].Mode
		return ok && acc.Place == u.Place &&
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
	if cond == l.entry && memory.IsBool(cond.Type()) {
		return false, true
	}
	switch c := cond.(type) {
	case *ssa.Extract:
		return false, c.Tuple == l.entry && memory.IsBool(c.Type())
	case *ssa.BinOp:
		k, ok := c.Y.(*ssa.Const)
		if ok && k.IsNil() && (c.X == l.entry || isResultOf(c.X, l.entry)) {
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
