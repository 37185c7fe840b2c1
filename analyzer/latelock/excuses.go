package latelock

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/verdict"
)

// excuseOf is the rule by which the function of a use has the lock on entry, or the object
// for itself; nil for none.
func (c *checker) excuseOf(u *use) *verdict.Rule {
	if by := c.promised(u.fn()); by != nil && !(by == callerHolds && early(u.Way) != nil && !saysAlone(u.fn())) {
		return by // who acquires the lock himself does not have it already
	}
	call, called := u.Instr.(*ssa.Call)
	setsLock := func(a *locks.Access) bool { return a.Write && a.Place == u.Lock }
	switch {
	case c.log.Asks(runsOnce) && called && memory.IsOnceDo(call.Call.StaticCallee()):
		return runsOnce
	case c.log.Asks(callerHolds) && releasesCallersLock(u):
		return callerHolds
	case c.log.Asks(notShared) && (slices.ContainsFunc(u.Func.Accesses, setsLock) || c.onlyMade(u) ||
		late(u.Way) == nil && c.starts(u)):
		return notShared
	}
	return nil
}

// promised is the rule by which a function says by its name or comment that its caller holds a
// lock, or that it runs before the object is shared; nil for none.
func (c *checker) promised(fn *ssa.Function) *verdict.Rule {
	by, ok := c.says[fn]
	if ok {
		return by
	}
	decl, _ := fn.Syntax().(*ast.FuncDecl)
	switch {
	case c.log.Asks(notShared) && lexicon.Early.Begins(fn.Name()):
		by = notShared
	case c.log.Asks(callerHolds) && (lexicon.CallersLock(fn.Name()) || decl != nil && lexicon.SaysLock(decl.Doc.Text())):
		by = callerHolds
	}
	c.says[fn] = by
	return by
}

// saysAlone reports whether a function says that one goroutine at a time calls it.
func saysAlone(fn *ssa.Function) bool {
	decl, ok := fn.Syntax().(*ast.FuncDecl)
	return ok && lexicon.SaysAlone(fn.Name(), decl.Doc.Text())
}

// releasesCallersLock reports whether the function releases a lock that it did not acquire, or
// calls one that may.
func releasesCallersLock(u *use) bool {
	return slices.ContainsFunc(u.Func.EventsOf(u.Lock), func(ev *locks.Event) bool {
		return !acquires(ev) && (ev.Before == locks.Unknown || ev.Before == locks.Mixed)
	})
}

// onlyMade reports whether each call of the function is made with an object that its caller has
// just made: nobody else has it.
func (c *checker) onlyMade(u *use) bool {
	par, ok := u.Place.Root.(*ssa.Parameter)
	if !ok || par.Parent() != u.Func.SSA || c.locks.Entered(u.Func.SSA) {
		return false
	}
	n := slices.Index(u.Func.SSA.Params, par)
	return !slices.ContainsFunc(c.p.Callers().Sites(u.Func.SSA), func(site ssa.CallInstruction) bool {
		args := site.Common().Args
		return n >= len(args) || !c.locks.Made(c.locks.Place(args[n]).Root)
	})
}

// starts reports whether the function starts goroutines after the use that are given the object.
func (c *checker) starts(u *use) bool {
	for i := range flow.Instrs(u.Func.SSA) {
		g, ok := i.(*ssa.Go)
		if !ok || !follows(u.Func, u.Instr, g) {
			continue
		}
		given := slices.Clone(g.Call.Args)
		if mc, ok := g.Call.Value.(*ssa.MakeClosure); ok {
			given = append(given, mc.Bindings...)
		}
		_, global := u.Place.Root.(*ssa.Global)
		if global || slices.ContainsFunc(given, func(v ssa.Value) bool { return c.locks.Place(v).Root == u.Place.Root }) {
			return true
		}
	}
	return false
}

// otherLock reports whether another lock is or may be held at the use, which may be the one that guards
// the place. A variable of the function guards nothing that others use.
func otherLock(u *use) bool {
	return slices.ContainsFunc(u.heldLocks(), func(r locks.Ref) bool {
		_, local := r.Root.(*ssa.Alloc)
		return r != u.Lock && !(local && r.Path == "")
	})
}

// heldLocks are the locks that are or may be held at a use, by the function that knows the right one
// and by the one that makes the access. Those that are acquired and released in what they call are not.
func (u *use) heldLocks() []locks.Ref {
	list := heldOf(u.Func, u.Held())
	if !u.Direct() {
		list = append(list, heldOf(u.Access.Func, u.Access.Held)...)
	}
	return list
}

// heldOf are the locks of a function that are or may be held.
func heldOf(f *locks.Func, held locks.Held) []locks.Ref {
	return slices.DeleteFunc(locks.Sorted(held), func(r locks.Ref) bool {
		m := held[r].Mode
		return m != locks.Reading && m != locks.Writing && (m != locks.Mixed || len(f.EventsOf(r)) == 0)
	})
}
