package racycreate

import (
	"fmt"
	"go/ast"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
)

// takeover judges the removal of a file that f makes again: of two processes that
// find the same stale file, the slower one removes the fresh file of the faster one.
func (c *checker) takeover(f *effects.Func, gone *effects.Effect) {
	if gone.Path == nil || gone.When != effects.Inline {
		return
	}
	again := func(e *effects.Effect) bool { return memory.SameFile(e.Path, gone.Path) }
	locks := takings(f)
	i := slices.IndexFunc(locks, again)
	if i < 0 {
		return
	}
	made := locks[i]
	t := taking{f: f, gone: gone, made: made}
	for _, ask := range f.OfKind(effects.Stat, effects.Read) {
		if !asks(ask) ||
			!memory.SameFile(ask.Path, gone.Path) && !(made.Kind == effects.MakeDir && ask.Path.Path().Extends(gone.Path.Path())) {
			continue
		}
		at, inner, ok := c.meet(f, ask, gone)
		if !ok {
			continue
		}
		a, g := same(inner, ask), same(inner, gone)
		if a != nil && g != nil && c.p.Depends(inner, a, g) && !c.releasesOwn(f, ask, gone) {
			t.ask, t.inner = ask, inner
			c.taken(t, g, at)
			return
		}
	}
	if at, inner, ok := c.meet(f, made, gone); ok && c.inAnyCase(inner, same(inner, gone), same(inner, made)) {
		t.inner = inner
		c.taken(t, same(inner, gone), at)
	}
}

// A taking is a file that a function takes away and makes again.
type taking struct {
	f          *effects.Func
	gone, made *effects.Effect // of f
	inner      *effects.Func   // comes to the removal, and decides on it
	ask        *effects.Effect // of f, what the removal depends on; nil where it happens in any case
}

// taken notes that a file is taken away by a call, by the effect gone of the function that decides
// on it.
func (c *checker) taken(t taking, gone *effects.Effect, call *ast.CallExpr) {
	s := c.at(call.Pos())
	claim := c.x.Claim(t.f, t.made)
	k := c.candidate(t.inner, call.Pos(), "reclaim")
	if len(claim) > 0 && lockedItself(t.f, t.made) && k.Says(ownLock, gone.Pos, "the file is locked itself") {
		return
	}
	s.contexts = append(s.contexts, context{f: t.f, locked: lockedFor(t.f, t.gone, t.gone.Path)})
	if s.finding != nil || len(claim) == 0 {
		return
	}
	if !because(k, claim) || gone.Foreign != "" && gone.Depth() > maxBelow && k.Says(far, gone.Pos, "it is taken away far below") {
		return
	}
	asked, text := gone.Pos, "it is taken away in any case before it is made"
	if t.ask != nil {
		asked, text = t.ask.Pos, "what it finds here decides whether the file is taken away"
	}
	if !k.Says(takesOver, asked, text) {
		return
	}
	fd := c.about("reclaim", t.inner, call, claim, nil)
	describe(fd, t)
	fd.NoFix = "only its author can say how the file is to be claimed; safeio.TryLock needs no takeover, as the " +
		"system releases the lock of a process that died"
	s.finding, s.candidate, s.of = fd, k, subject{t.inner, gone.Path.Key()}
}

// inAnyCase reports whether a function removes a lock in any case before it makes it, and does not
// come there by having made it.
func (c *checker) inAnyCase(f *effects.Func, gone, made *effects.Effect) bool {
	if gone == nil || made == nil || gone.Kind != effects.Remove || gone.Foreign != "" || !effects.Before(gone, made) {
		return false
	}
	for e := gone.CalleeEffect; e != nil; e = e.CalleeEffect { // a function on the way to the removal may decide on it
		if e.At == nil {
			return false
		}
		for r := range flow.Returns(e.At.Parent()) {
			if !c.p.Flow.Dominates(e.At, r) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(takings(f), func(e *effects.Effect) bool {
		return memory.SameFile(e.Path, gone.Path) && effects.Reaches(e, gone) && !effects.Before(gone, e) && !c.p.Failed(f, e, gone)
	})
}

// releasesOwn reports whether f gives up by gone what it has made itself: after it has asked, by
// the call that asks as well, or by a call that is nearer to gone than that.
func (c *checker) releasesOwn(f *effects.Func, ask, gone *effects.Effect) bool {
	near := shared(ask, gone)
	return slices.ContainsFunc(takings(f), func(made *effects.Effect) bool {
		n := shared(made, gone)
		if n < near || !memory.SameFile(made.Path, gone.Path) {
			return false
		}
		_, inner, ok := c.meet(f, made, gone)
		if !ok {
			return false
		}
		m, g := same(inner, made), same(inner, gone)
		if m == nil || g == nil || m.At == g.At || !inner.Precedes(m, g) || c.p.Failed(inner, m, g) {
			return false
		}
		a := same(inner, ask)
		return n > near || a != nil && (a.At == m.At || effects.Before(a, m))
	})
}

// shared is the number of calls that lead to both of two effects.
func shared(a, b *effects.Effect) (n int) {
	for n < len(a.Via) && n < len(b.Via) && a.Via[n] == b.Via[n] {
		n++
	}
	return n
}

// takings are the effects of a function by which it could take a lock: they make a file or directory
// exclusively, or the function is named for that. A pid file that a process only leaves for others to
// find is none.
func takings(f *effects.Func) []*effects.Effect {
	acquires := lexicon.Acquires(f.SSA.Name())
	return slices.DeleteFunc(makings(f), func(e *effects.Effect) bool {
		return e.Makes && e.Kind != effects.CreateExclusive && !acquires
	})
}

// describe tells how two processes take over one stale file.
func describe(f *finding.Finding, t taking) {
	path := t.gone.Path.Named("its file")
	stale := []finding.Step{
		{Actor: "process A", Pos: t.gone.Pos, Does: "removes it"},
		{Actor: "process A", Pos: t.made.Pos, Does: "makes its own and goes on as its owner"},
		{Actor: "process B", Pos: t.gone.Pos, Does: "removes what A has just made", Acts: []finding.Act{finding.ReclaimsTheStale}},
		{Actor: "process B", Pos: t.made.Pos, Does: "makes its own and goes on as its owner, too"},
	}
	if t.ask == nil {
		f.Sentence = fmt.Sprintf("%s removes %s before it makes it, whoever has made it: "+
			"of two processes the slower one removes the fresh file of the faster one, and both go on", f.Func, path)
		stale[0].Does = "removes " + path
		f.Schedule = stale
		return
	}
	f.Sentence = fmt.Sprintf("%s removes %s where it takes it for stale: "+
		"of two processes that do, the slower one removes the fresh file of the faster one, and both go on", f.Func, path)
	f.Schedule = append([]finding.Step{
		{Actor: "process A", Pos: t.ask.Pos, Does: "takes " + path + " for stale"},
		{Actor: "process B", Pos: t.ask.Pos, Does: "takes the same file for stale"},
	}, stale...)
}
