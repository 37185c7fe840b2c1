package cycles

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// releases are the effects that release the two kinds of locks.
var releases = map[effects.Kind]effects.Kind{effects.Lock: effects.Unlock, effects.Acquire: effects.Release}

// Spanning is a lock of the kind, Lock or Acquire, that is held from a to b by
// nobody else at the same time; nil where there is none. A lock between processes is
// one for the file, unless the file is nil. One that is only tried is taken to be had:
// what a program does without it is its own affair.
func Spanning(p *effects.Package, f *effects.Func, kind effects.Kind, a, b *effects.Effect, file *pathexpr.Term) *effects.Effect {
	for _, l := range f.OfKind(kind) {
		if !l.Shared && had(p, l, a) && had(p, l, b) && !LetGo(p, f, l, b) &&
			(kind != effects.Lock || file == nil || Ties(f, l.Path, file)) {
			return l
		}
	}
	return nil
}

// had reports whether a lock has been asked for whenever e happens: before, or in a loop that
// is behind it, which asks again until it has the lock, or for those of a list.
func had(p *effects.Package, l, e *effects.Effect) bool {
	if effects.Before(l, e) {
		return true
	}
	if l.When != effects.Inline || e.At == nil || !l.InLoop() || l.At.Parent() != e.At.Parent() || !effects.Reaches(l, e) ||
		p.Flow.Reaches(e.At, l.At) {
		return false
	}
	for head := l.At.Block().Idom(); head != nil; head = head.Idom() {
		if first := head.Instrs[0]; p.Flow.Reaches(l.At, first) && p.Flow.Dominates(first, e.At) {
			return true
		}
	}
	return false
}

// Locked reports whether a lock between processes is held at an effect that can be one for a file,
// which may be nil for any, and that nobody else has at the same time. It is the one answer to that
// question: what one check takes for locked is locked for all.
func Locked(p *effects.Package, f *effects.Func, e *effects.Effect, file *pathexpr.Term) bool {
	return Spanning(p, f, effects.Lock, e, e, file) != nil
}

// LockedAt reports whether a lock between processes that nobody else has is held
// whenever the function reaches an instruction, before that does anything.
func LockedAt(p *effects.Package, f *effects.Func, i ssa.Instruction) bool {
	return Locked(p, f, f.Begin(i), nil)
}

// LetGo reports whether the lock l may be released before e.
func LetGo(p *effects.Package, f *effects.Func, l, e *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(releases[l.Kind], effects.Close), func(u *effects.Effect) bool {
		switch {
		case u.When != effects.Inline || !lets(u, l) || u.At != l.At && !l.POSIXLock && takesItself(f, u, l):
			return false
		case u.Kind == effects.Close:
			return effects.SameLock(u, l) && closes(p, l, u, e)
		case l.Kind == effects.Lock && u.At == l.At && l.At != e.At && l.CalleeEffect != nil && u.CalleeEffect != nil:
			return !Stays(p, l) // what takes it releases it where it fails
		}
		return l.ReachesWithout(u, nil) && u.ReachesWithout(e, l)
	})
}

// takesItself reports whether the call that has a release takes that lock before, for itself: who
// has it already keeps it.
func takesItself(f *effects.Func, u, l *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(l.Kind), func(inner *effects.Effect) bool {
		return inner.At == u.At && inner.CalleeEffect != nil && inner.Seq < u.Seq && lets(u, inner)
	})
}

// closes reports whether the file of the lock l is closed by u before e, and not only where
// what takes the lock fails.
func closes(p *effects.Package, l, u, e *effects.Effect) bool {
	for l.At == u.At && u.At == e.At {
		l, u, e = l.CalleeEffect, u.CalleeEffect, e.CalleeEffect
		if l == nil || u == nil || e == nil || u.When != effects.Inline || l.At.Parent() != u.At.Parent() ||
			u.At.Parent() != e.At.Parent() {
			return false
		}
	}
	switch {
	case l.At == u.At:
		return !Stays(p, l)
	case u.At == e.At:
		return false // which of them comes first, the call alone knows
	}
	return l.ReachesWithout(u, nil) && u.ReachesWithout(e, l)
}

// Has reports whether what e makes is there when a and b happen: it is made before, and the
// call that makes it leaves it. Where one call does all three, the function that is called
// knows.
func Has(p *effects.Package, e, a, b *effects.Effect) bool {
	for e.At == a.At && a.At == b.At {
		if e.CalleeEffect == nil || a.CalleeEffect == nil || b.CalleeEffect == nil || e.CalleeEffect.At.Parent() != a.CalleeEffect.At.Parent() || a.CalleeEffect.At.Parent() != b.CalleeEffect.At.Parent() {
			return e.Seq < a.Seq
		}
		e, a, b = e.CalleeEffect, a.CalleeEffect, b.CalleeEffect
	}
	return effects.Reaches(e, a) && Stays(p, e)
}

// Stays reports whether what a call takes or makes may still be there when the call has
// ended well.
func Stays(p *effects.Package, e *effects.Effect) bool {
	for e = e.CalleeEffect; e != nil; e = e.CalleeEffect {
		if g := p.Of(e.At.Parent()); g == nil || !HeldAtEnd(p.Flow, g, e, memory.MaySucceed) {
			return false
		}
	}
	return true
}

// lets reports whether u releases what l takes: a lock, or a file that is made for one.
func lets(u, l *effects.Effect) bool {
	return effects.SameLock(u, l) || memory.SameFile(u.Path, l.Path)
}

// HeldAtEnd reports whether a function that takes l can end well and still has it.
func HeldAtEnd(p *flow.Program, f *effects.Func, l *effects.Effect, well func(*ssa.Return) bool) bool {
	var ends []ssa.Instruction
	for _, u := range f.OfKind(effects.Unlock, effects.Close, effects.Remove) {
		if u.Kind == effects.Close && !effects.SameLock(u, l) || !lets(u, l) ||
			(u.Kind == effects.Remove) != (l.Kind == effects.CreateExclusive) {
			continue
		}
		if u.When == effects.Deferred {
			return false
		}
		ends = append(ends, u.At)
	}
	return flow.Search{At: func(i ssa.Instruction) flow.Step {
		if slices.Contains(ends, i) {
			return flow.Stop
		}
		if r, ok := i.(*ssa.Return); ok && well(r) {
			return flow.Found
		}
		return flow.Go
	}}.After(p, l.At)
}

// Ties reports whether a lock can be one for a file: it stands beside the file, below
// the same directory or in one above it, is named for the file or for the program, or
// nobody can tell where it is. What stands at a known place that has nothing of the
// file's is a lock of something else.
func Ties(f *effects.Func, lock, file *pathexpr.Term) bool {
	if lock == nil || file == nil || effects.Beside(&effects.Effect{Action: effects.Action{Path: lock}}, file) {
		return true
	}
	at, ok := place(lock)
	if !ok {
		return true
	}
	its := Elements(file)
	if f.SSA.Pkg != nil {
		its = append(its, strings.Split(f.SSA.Pkg.Pkg.Path(), "/")...)
	}
	return slices.ContainsFunc(at, func(elem string) bool {
		return slices.ContainsFunc(its, func(o string) bool { return stem(o) == elem })
	})
}

// place are the elements of a path that is known from its root on, without those that
// say nothing of whom it belongs to.
func place(lock *pathexpr.Term) ([]string, bool) {
	lock = lock.Expanded().Path()
	if lock.Kind != pathexpr.Const || !path.IsAbs(lock.Text) {
		return nil, false
	}
	var list []string
	for _, elem := range Elements(lock) {
		if elem = stem(elem); !lexicon.Shared[elem] {
			list = append(list, elem)
		}
	}
	return list, true
}

// Elements are the names of directories and of the file, as far as they are constant.
func Elements(t *pathexpr.Term) []string {
	var list []string
	t.Expanded().Any(func(x *pathexpr.Term) bool {
		if x.Kind == pathexpr.Const {
			list = append(list, strings.FieldsFunc(x.Text, func(r rune) bool { return r == '/' })...)
		}
		return false
	})
	return list
}

// stem is a name without the dot before it and what stands behind the next.
func stem(name string) string {
	name, _, _ = strings.Cut(strings.TrimPrefix(strings.ToLower(name), "."), ".")
	return name
}
