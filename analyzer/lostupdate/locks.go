package lostupdate

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// locked reports whether a lock between processes is held from the load to the save: here, in the one call that
// does both and is named for a lock, or by every caller. What such a caller does besides may be too much to be a
// context: a daemon locks the place where it works, and runs for ever.
func (c *checker) locked(f *effects.Func, cy cycles.Cycle) bool {
	if call, ok := cy.Last().At.(ssa.CallInstruction); ok && cy.OneCall() {
		if callee := c.p.CalleeOf(call.Common()); callee != nil && lexicon.NamesLock(callee.Name()) {
			return true
		}
	}
	return cycles.Spanning(c.p.Package, f, effects.Lock, cy.Read, cy.Last(), nil) != nil ||
		c.p.Callers().Always(f.SSA, func(call ssa.CallInstruction) bool {
			g := c.p.Of(call.Parent())
			return g != nil && cycles.LockedAt(c.p.Package, g, call)
		})
}

// A guard is a rule that speaks where something is held in all contexts of a site.
type guard struct {
	*verdict.Rule
	holds func(context) bool
	text  string // what it sees in a context
}

// lock is the guard of a lock between processes.
var lock = guard{
	excludes.Locked, func(k context) bool { return k.locked },
	"has a lock from the load to the save, or its callers have one",
}

// guardedBy reports whether one of several guards holds in each context that counts.
func (c *checker) guardedBy(s *site, says listener, guards ...guard) bool {
	guards = slices.DeleteFunc(guards, func(g guard) bool { return !c.x.Log().Asks(g.Rule) })
	holding := func(k context) int { return slices.IndexFunc(guards, func(g guard) bool { return g.holds(k) }) }
	if !c.guarded(s, func(k context) bool { return holding(k) >= 0 }) {
		return false
	}
	for _, k := range s.contexts {
		if i := holding(k); i >= 0 {
			says(guards[i].Rule, k.f.SSA.Pos(), k.f.Name()+" "+guards[i].text)
		}
	}
	return true
}

// guarded reports whether on every way to a site a function holds something: who calls that one need not see
// it, as where a lock is taken anew each time round.
func (c *checker) guarded(s *site, holds func(context) bool) bool {
	roots, open := state.Roots(s.contexts), map[*effects.Func]bool{}
	for _, k := range s.contexts {
		open[k.f] = open[k.f] || !holds(k)
	}
	callers := func(f *effects.Func) []*effects.Func {
		if !open[f] {
			return nil
		}
		return f.CallersAmong(roots)
	}
	return !flow.Any(c.p.Flow.Budget, func(f *effects.Func) bool { return open[f] && len(callers(f)) == 0 }, callers, s.f)
}

// variant says what is wrong with the locks around a cycle, empty for nothing.
func (c *checker) variant(s *site, says listener) string {
	all := nobody
	for _, k := range s.contexts {
		all = max(all, c.mutex(k))
	}
	mutex := guard{mutexHeld, func(k context) bool { return c.mutex(k) != nobody }, "has a mutex from the load to the save"}
	if c.guardedBy(s, says, lock, mutex) {
		file := s.cycle.File
		switch {
		case all == unknown && says(privateMutex, s.at.load, "the lock that is held here is none of package sync"):
			return ""
		case inSharedPlace(c.p, file) && says(sharedPlace, s.at.load, "every process of the user finds "+name(file)+" there"):
		case all == thePackage && !ofObject(file) && says(packageMutex, s.at.load, "the mutex is a package variable, and an argument names "+name(file)):
		case says(privateMutex, s.at.load, "nothing says that another process has "+name(file)):
			return ""
		}
		return "mutex"
	}
	last := s.cycle.Last()
	for _, kind := range []effects.Kind{effects.Lock, effects.Acquire} {
		before, after := c.locksOf(s, kind)
		switch {
		case after == nil:
		case before != nil && memory.SameFile(before.Path, after.Path):
			return "split"
		case before == nil && kind == effects.Lock && (effects.Beside(after, s.cycle.File) || after.Here() == last.Here()):
			return "late"
		}
	}
	return "unlocked"
}

// ofObject reports whether an object or a variable of the program has a part of the path, so
// that the mutex may belong to what the file does.
func ofObject(file *pathexpr.Term) bool {
	return file.Expanded().Any(func(t *pathexpr.Term) bool {
		return t.Kind == pathexpr.Field || t.Kind == pathexpr.Global || t.Kind == pathexpr.Unknown
	})
}

// isApart reports whether the load and the save have a lock each, and release it in
// between: callers cannot have that lock.
func (c *checker) isApart(s *site) bool {
	before, after := c.locksOf(s, effects.Lock)
	return before != nil && after != nil && memory.SameFile(before.Path, after.Path)
}

// locksOf are the locks of a kind that the function has at the load and at the save.
func (c *checker) locksOf(s *site, kind effects.Kind) (before, after *effects.Effect) {
	read, last := s.cycle.Read, s.cycle.Last()
	return cycles.Spanning(c.p.Package, s.f, kind, read, read, s.cycle.File),
		cycles.Spanning(c.p.Package, s.f, kind, last, last, s.cycle.File)
}

// An owner is what a mutex that is held belongs to; of several, what comes last here.
type owner int

const (
	nobody owner = iota
	anObject
	thePackage // it is a package variable
	unknown    // it is no mutex of package sync: it may well be a lock between processes
)

// ofSync reports whether a lock is of package sync, or a channel.
func ofSync(t types.Type) bool {
	if t == nil {
		return false
	}
	named, ok := types.Unalias(known.Pointee(t)).(*types.Named)
	if !ok {
		_, channel := t.Underlying().(*types.Chan)
		return channel
	}
	return known.Path(named.Obj()) == "sync"
}

// mutex is the mutex that is held in a context from the load to the save.
func (c *checker) mutex(k context) owner {
	read, last := k.cycle.Read, k.cycle.Last()
	if l := cycles.Spanning(c.p.Package, k.f, effects.Acquire, read, last, nil); l != nil {
		if l.Handle.Kind == pathexpr.Global {
			return thePackage
		}
		return anObject
	}
	if c.locks == nil {
		c.locks = locks.Of(c.p.Package)
	}
	f := c.locks.Of(k.f.SSA)
	if f == nil {
		return nobody
	}
	late := f.Held(last.At)
	whose := nobody
	for lock, at := range f.Held(read.At) {
		mode := at.Mode
		if (mode == locks.Writing || mode == locks.Mixed) && !ofSync(c.locks.TypeOf(lock)) {
			return unknown
		}
		if mode == locks.Writing && late[lock].Mode == locks.Writing {
			whose = max(whose, anObject)
		}
	}
	return whose
}

// inSharedPlace reports whether a path leads to a place that every process of the user finds alike, also by a field
// for which a caller of the constructor gives one.
func inSharedPlace(p *failure.Package, file *pathexpr.Term) bool {
	return file.Expanded().Any(everyones) || file.Any(func(t *pathexpr.Term) bool {
		v := valueOf(p, t)
		return v != nil && givenShared(p, v)
	})
}

// valueOf is the only value that a field gets of a struct of the package, nil where there is none.
func valueOf(p *failure.Package, field *pathexpr.Term) ssa.Value {
	obj := p.Pass.Pkg.Scope().Lookup(strings.TrimPrefix(field.Type, p.Pass.Pkg.Path()+"."))
	if field.Kind != pathexpr.Field || obj == nil || memory.StructOf(obj.Type()) == nil {
		return nil
	}
	for v := range memory.StructOf(obj.Type()).Fields() {
		if v.Name() == field.Text {
			return p.Fields[v]
		}
	}
	return nil
}

// givenShared reports whether a value is such a place, or a parameter for which a caller gives one.
func givenShared(p *failure.Package, v ssa.Value) bool {
	shared := func(v ssa.Value) bool {
		t := p.Term(v)
		return t != nil && t.Expanded().Any(everyones)
	}
	given := func(v ssa.Value) (list []ssa.Value) {
		if par, ok := v.(*ssa.Parameter); ok {
			n := slices.Index(par.Parent().Params, par)
			for _, site := range p.Callers().Sites(par.Parent()) {
				if args := memory.CallArgs(site.Common()); n < len(args) {
					list = append(list, args[n])
				}
			}
		}
		return list
	}
	return flow.Any(p.Flow.Budget, shared, given, v)
}

// everyones reports whether a term is such a place: a function that names one, or a
// constant that begins with the sign for the user's home.
func everyones(t *pathexpr.Term) bool {
	return t.Kind == pathexpr.Call && known.IsSharedPlace(t.Text) || t.Kind == pathexpr.Const && strings.HasPrefix(t.Text, "~/")
}
