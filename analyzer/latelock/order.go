package latelock

import (
	"go/ast"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/verdict"
)

// tooEarly is the event that takes the lock behind the use, nil for none: no
// goroutine takes a lock that it holds, so it is not held at the use.
func tooEarly(u *use) *locks.Event {
	if u.mode != locks.Unknown {
		return nil
	}
	return takenBehind(u)
}

// takenBehind is the event that takes the lock behind the use, and makes sure that
// it is not held at the use; nil for none.
func takenBehind(u *use) *locks.Event {
	if u.Deferred {
		return nil
	}
	for _, ev := range u.f.EventsOf(u.lock) {
		if takes(ev) && follows(u.f, u.Instr, ev.Instr) && !releasedBetween(u, ev) && !replacedBetween(u, ev) {
			return ev
		}
	}
	return nil
}

// visited is the call behind the use in which the lock is taken, and released: as a rule it
// comes whenever the use has come. It is nil for none.
func visited(u *use) *locks.Event {
	if u.mode != locks.Unknown && !onlyVisits(u) || u.Deferred {
		return nil
	}
	for _, ev := range u.f.VisitsOf(u.lock) {
		if u.Instr != ev.Instr && (u.Instr.Block() == ev.Instr.Block() && u.f.Flow().Dominates(u.Instr, ev.Instr) || inevitable(u.f, u.Instr.Block(), ev.Instr.Block())) && !releasedBetween(u, ev) && !replacedBetween(u, ev) {
			return ev
		}
	}
	return nil
}

// onlyVisits reports whether it is not certain that the lock was touched before the use, and the
// function touches it by no more than calls which take it and let go of it: it is not held then.
func onlyVisits(u *use) bool { return u.mode == locks.Mixed && !actsOn(u.f, u.lock) }

// actsOn reports whether a function itself takes or releases a lock.
func actsOn(f *locks.Func, r locks.Ref) bool { return len(f.EventsOf(r)) > 0 }

// visits reports whether a call of a function takes a lock and releases it.
func visits(f *locks.Func, r locks.Ref) bool { return len(f.VisitsOf(r)) > 0 }

// inRounds reports whether the use is repeated in a loop, each round of which takes
// the lock, but not yet or no longer at the use.
func inRounds(u *use) bool {
	if u.mode != locks.Free && (u.mode != locks.Mixed || takenBehind(u) == nil) {
		return false
	}
	at := u.Instr.Block()
	return u.f.Flow().Reaches(u.Instr, u.Instr) &&
		slices.ContainsFunc(u.f.EventsOf(u.lock), func(ev *locks.Event) bool {
			b := ev.Instr.Block()
			return takes(ev) && reachable(u.f, at, b) && reachable(u.f, b, at)
		})
}

// releasedBetween reports whether the function may release the lock between
// the use and the event that takes it: then its caller may hold it at the use.
func releasedBetween(u *use, take *locks.Event) bool {
	return slices.ContainsFunc(u.f.EventsOf(u.lock), func(ev *locks.Event) bool {
		return !takes(ev) && between(u, ev.Instr, take)
	})
}

// takenBefore is the event that takes the lock for readers in front of the use, nil
// for none.
func takenBefore(u *use) *locks.Event {
	var last *locks.Event
	for _, ev := range u.f.EventsOf(u.lock) {
		if ev.Mode == locks.Reading && u.f.Flow().Dominates(ev.Instr, u.Instr) {
			last = ev
		}
	}
	return last
}

// takes reports whether an event takes the lock; another may release it.
func takes(ev *locks.Event) bool { return ev.Mode == locks.Writing || ev.Mode == locks.Reading }

// replacedBetween reports whether the function may put another object in the
// place of the one that it uses before it takes the lock of that.
func replacedBetween(u *use, take *locks.Event) bool {
	return slices.ContainsFunc(u.f.WritesAround(u.lock), func(a *locks.Access) bool {
		return a.Place != u.Place && between(u, a.Instr, take)
	})
}

func between(u *use, i ssa.Instruction, take *locks.Event) bool {
	return !u.f.Flow().Dominates(i, u.Instr) && !u.f.Flow().Dominates(take.Instr, i) && reachable(u.f, u.Instr.Block(), i.Block()) && reachable(u.f, i.Block(), take.Instr.Block())
}

// tooLate is the event that releases the lock before the use, nil for none.
func tooLate(u *use) *locks.Event {
	if u.mode != locks.Free {
		return nil
	}
	var last *locks.Event
	for _, ev := range u.f.EventsOf(u.lock) {
		if ev.Mode == locks.Free && ev.Before != locks.Unknown && u.f.Flow().Dominates(ev.Instr, u.Instr) {
			last = ev
		}
	}
	return last
}

// follows reports whether b comes whenever a has come, or only if a has come.
func follows(f *locks.Func, a, b ssa.Instruction) bool {
	return f.Flow().Dominates(a, b) || a.Block() != b.Block() && inevitable(f, a.Block(), b.Block())
}

// inevitable reports whether every way from a to a return leads through b.
func inevitable(f *locks.Func, a, b *ssa.BasicBlock) bool {
	return reachable(f, a, b) && !flow.Search{Block: func(x *ssa.BasicBlock) flow.Step {
		switch {
		case x == b:
			return flow.Stop
		case flow.ReturnOf(x) != nil:
			return flow.Found
		}
		return flow.Go
	}}.From(f.Flow(), a)
}

// reachable reports whether control goes from one block to another, or they are the same.
func reachable(f *locks.Func, from, to *ssa.BasicBlock) bool {
	return from == to || f.Flow().Graph(from.Parent()).Reaches(from, to)
}

// otherLock reports whether another lock is or may be held at the use that can be one for
// the place. A variable of the function guards nothing that others use; the lock of readers
// that is a package variable keeps no reader out; and a lock that stands beside the right one
// is for something else where nobody has it at another use.
func otherLock(u *use, uses []*use) bool {
	for r, m := range u.Held {
		switch _, local := r.Root.(*ssa.Alloc); {
		case r == u.lock, local && r.Path == "", m != locks.Reading && m != locks.Writing && m != locks.Mixed:
		case m == locks.Mixed && visits(u.f, r) && !actsOn(u.f, r):
			// Calls take it and release it, on some of the paths, and nothing else does.
		case m == locks.Reading && isGlobal(r) && !isGlobal(u.lock):
		case sibling(r, u.lock) && !slices.ContainsFunc(uses, func(o *use) bool { return o.f != u.f && holdsBeside(o, path.Base(dots(r.Path))) }):
		default:
			return true
		}
	}
	return false
}

// holdsAny reports whether any lock is or may be held at the use.
func holdsAny(u *use) bool {
	for _, m := range u.Held {
		if m == locks.Reading || m == locks.Writing || m == locks.Mixed {
			return true
		}
	}
	return false
}

func isGlobal(r locks.Ref) bool {
	_, ok := r.Root.(*ssa.Global)
	return ok && r.Path == ""
}

// sibling reports whether two locks are fields of one struct of one object.
func sibling(a, b locks.Ref) bool {
	return a.Root == b.Root && a.Path != "" && b.Path != "" && path.Dir(dots(a.Path)) == path.Dir(dots(b.Path))
}

// holdsBeside reports whether a lock of the name, which stands beside that of the use, is or
// may be held there.
func holdsBeside(u *use, name string) bool {
	for r, m := range u.Held {
		if sibling(r, u.lock) && path.Base(dots(r.Path)) == name && (m == locks.Reading || m == locks.Writing || m == locks.Mixed) {
			return true
		}
	}
	return false
}

// dots are the fields that lead to a place, as a path.
func dots(fields string) string { return strings.ReplaceAll(fields, ".", "/") }

// promised is the rule by which the function has the lock on entry, or the object
// for itself: it says so, it releases a lock that it did not take, it makes
// the lock, or it goes on to start the goroutines of the object. It is nil for none.
func promised(log *verdict.Log, u *use) *verdict.Rule {
	if !u.answered {
		u.promise, u.answered = promiseOf(log, u), true
	}
	return u.promise
}

func promiseOf(log *verdict.Log, u *use) *verdict.Rule {
	switch {
	case u.says != nil:
		return u.says
	case log.Asks(runsOnce) && u.once():
		return runsOnce
	case log.Asks(setsOption) && u.option():
		return setsOption
	case log.Asks(callersLock) && releasesCallersLock(u):
		return callersLock
	case log.Asks(makesLock) && makes(u):
		return makesLock
	case log.Asks(startsOthers) && starts(u):
		return startsOthers
	}
	return nil
}

// once reports whether a use is made by what a sync.Once runs: one goroutine comes there, and
// all others wait for it.
func (u *use) once() bool {
	for acc := u.Access; acc != nil; acc = acc.Of {
		if call, ok := acc.Instr.(*ssa.Call); ok && memory.IsOnceDo(call.Call.StaticCallee()) {
			return true
		}
	}
	return false
}

// option reports whether a use is made by a function value that is given the object: who
// makes the object calls it.
func (u *use) option() bool {
	par, ok := u.Place.Root.(*ssa.Parameter)
	return ok && par.Parent().Parent() != nil && par.Parent() == u.f.SSA
}

// saysOf is the rule by which a function says that its caller holds a lock, or that it runs
// before the object is shared; nil for none.
func saysOf(log *verdict.Log, fn *ssa.Function) *verdict.Rule {
	if log.Asks(namedEarly) && lexicon.Early.Begins(fn.Name()) {
		return namedEarly
	}
	if log.Asks(namedLocked) && lexicon.HasLock(fn.Name()) {
		return namedLocked
	}
	if decl, ok := fn.Syntax().(*ast.FuncDecl); ok && log.Asks(commentSays) && lexicon.SaysLock(decl.Doc.Text()) {
		return commentSays
	}
	return nil
}

// saysAlone reports whether a function says that one goroutine at a time calls it.
func saysAlone(fn *ssa.Function) bool {
	decl, ok := fn.Syntax().(*ast.FuncDecl)
	return ok && lexicon.SaysAlone(fn.Name(), decl.Doc.Text())
}

// releasesCallersLock reports whether the function releases a lock that it did not take, or
// calls one that may.
func releasesCallersLock(u *use) bool {
	return slices.ContainsFunc(u.f.EventsOf(u.lock), func(ev *locks.Event) bool {
		return !takes(ev) && (ev.Before == locks.Unknown || ev.Before == locks.Mixed)
	})
}

// makes reports whether the function sets the lock.
func makes(u *use) bool { return u.f.Sets(u.lock) }

// starts reports whether the function starts the goroutines of the object behind the use. Where
// it has had the lock before, others have the object already.
func starts(u *use) bool { return tooLate(u) == nil && startsBehind(u) }

// startsBehind reports whether the function starts goroutines behind the use that are given the
// object.
func startsBehind(u *use) bool {
	return slices.ContainsFunc(u.f.Starts(), func(g *ssa.Go) bool { return follows(u.f, u.Instr, g) && sharesWith(u, g) })
}

// sharesWith reports whether a goroutine is given the object of a use, or anything made of it. A
// package variable is given to all.
func sharesWith(u *use, g *ssa.Go) bool {
	if _, ok := u.Place.Root.(*ssa.Global); ok {
		return true
	}
	from := func(v ssa.Value) []ssa.Value {
		list := flow.OperandsOf(v)
		if _, ok := v.(*ssa.Alloc); ok { // of a variable that a literal has
			for _, st := range flow.StoresAt(v) {
				list = append(list, st.Val)
			}
		}
		return list
	}
	return slices.ContainsFunc(flow.Reach(u.f.Flow().Budget, from, append(slices.Clone(g.Call.Args), g.Call.Value)...), func(v ssa.Value) bool {
		return v == u.Place.Root || v == u.lock.Root
	})
}
