package latelock

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/locks"
)

// early is the event that acquires the lock after a use, nil for none: no
// goroutine acquires a lock that it holds, so it is not held at the use.
func early(w locks.Way) *locks.Event {
	if w.Mode() != locks.Unknown {
		return nil
	}
	return acquiredAfter(w)
}

// acquiredAfter is the event that acquires the lock after a use where it was not released in between,
// nil for none.
func acquiredAfter(w locks.Way) *locks.Event {
	if w.Deferred() {
		return nil
	}
	for _, ev := range w.Func.EventsOf(w.Lock) {
		if acquires(ev) && follows(w.Func, w.Instr, ev.Instr) && !interrupted(w, ev) {
			return ev
		}
	}
	return nil
}

// late is the event that has released the lock before a use, nil for none.
func late(w locks.Way) *locks.Event {
	if w.Mode() != locks.Free {
		return nil
	}
	return lastBefore(w, func(ev *locks.Event) bool { return ev.Mode == locks.Free && ev.Before != locks.Unknown })
}

// lastBefore is the last such event of the lock before a use, nil for none.
func lastBefore(w locks.Way, such func(*locks.Event) bool) *locks.Event {
	var last *locks.Event
	for _, ev := range w.Func.EventsOf(w.Lock) {
		if such(ev) && w.Func.Flow().Dominates(ev.Instr, w.Instr) {
			last = ev
		}
	}
	return last
}

// acquires reports whether an event acquires the lock; another may release it.
func acquires(ev *locks.Event) bool { return ev.Mode == locks.Writing || ev.Mode == locks.Reading }

// interrupted reports whether the function may release the lock between a use and the event that
// acquires it, so that its caller may hold it at the use, or may put another object in the place of
// the one that has the lock.
func interrupted(w locks.Way, acquire *locks.Event) bool {
	return slices.ContainsFunc(w.Func.EventsOf(w.Lock), func(ev *locks.Event) bool {
		return !acquires(ev) && between(w, ev.Instr, acquire)
	}) || slices.ContainsFunc(w.Func.Accesses, func(a *locks.Access) bool {
		return a.Write && w.Lock.Within(a.Place) && between(w, a.Instr, acquire)
	})
}

func between(w locks.Way, i ssa.Instruction, acquire *locks.Event) bool {
	f := w.Func
	return !f.Flow().Dominates(i, w.Instr) && !f.Flow().Dominates(acquire.Instr, i) &&
		reachable(f, w.Instr.Block(), i.Block()) && reachable(f, i.Block(), acquire.Instr.Block())
}

// follows reports whether b comes whenever a has come, or only if a has come.
func follows(f *locks.Func, a, b ssa.Instruction) bool {
	return f.Flow().Dominates(a, b) || a.Block() != b.Block() && inevitable(f, a.Block(), b.Block())
}

// inevitable reports whether every path from a to a return leads through b.
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

// reacquired is the event that acquires the lock again that is released between a and b, nil
// for none.
func reacquired(f *locks.Func, lock locks.Ref, a, b ssa.Instruction) *locks.Event {
	for _, free := range f.EventsOf(lock) {
		if free.Mode != locks.Free || !f.Flow().Dominates(a, free.Instr) {
			continue
		}
		for _, take := range f.EventsOf(lock) {
			if take.Mode == locks.Writing && f.Flow().Dominates(free.Instr, take.Instr) && f.Flow().Dominates(take.Instr, b) {
				return take
			}
		}
	}
	return nil
}
