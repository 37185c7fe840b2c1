package racycreate

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/verdict"
)

// takeover judges a removal or renaming of a file that f makes again: of two
// processes that find the same stale file, the slower one takes away the fresh
// file of the faster one.
func (c *checker) takeover(f *effects.Func, gone *effects.Effect) {
	if gone.Path == nil || gone.When != effects.Inline {
		return
	}
	made, plain := c.remade(f, gone)
	if made == nil {
		return
	}
	why, text := c.harmless(f, gone, made, plain)
	if why != nil && !c.x.Log().Keeps() {
		return
	}
	t := taking{f: f, gone: gone, made: made}
	for _, ask := range f.OfKind(effects.Stat, effects.Read) {
		if !asks(ask) || !memory.SameFile(ask.Path, gone.Path) && !(made.Kind == effects.MakeDir && ask.Path.Path().Extends(gone.Path.Path())) {
			continue
		}
		at, inner, ok := c.meet(f, ask, gone)
		if !ok {
			continue
		}
		a, g := same(inner, ask), same(inner, gone)
		if a != nil && g != nil && c.p.Depends(inner, a, g) && !c.releasesOwn(f, ask, gone) {
			t.ask, t.inner, t.deed = ask, inner, c.takenWhenStale(inner, g, made)
			c.taken(t, g, at, why, text)
			return
		}
	}
	if at, inner, ok := c.meet(f, made, gone); ok && c.inAnyCase(inner, same(inner, gone), same(inner, made)) {
		t.inner = inner
		c.taken(t, same(inner, gone), at, why, text)
	}
}

// A taking is a file that a function takes away and makes again.
type taking struct {
	f          *effects.Func
	gone, made *effects.Effect // of f
	inner      *effects.Func   // comes to the removal, and decides on it
	ask        *effects.Effect // of f, what the removal depends on; nil where it happens in any case
	deed       string          // see takenWhenStale
}

// taken notes that a file is taken away by a call, by the effect gone of the function that decides
// on it; why is the rule that speaks against a report, nil for none, and text what it sees.
func (c *checker) taken(t taking, gone *effects.Effect, call *ast.CallExpr, why *verdict.Rule, text string) {
	at := call.Pos()
	claim := c.claim(t.f, t.made)
	reports := len(claim) > 0 || t.deed != ""
	if why != nil {
		if reports {
			c.candidate(t.inner, at).Is(variantOf(gone)).Says(why, gone.Pos, text)
		}
		return
	}
	s := c.at(at)
	s.contexts = append(s.contexts, context{f: t.f, locked: lockedFor(t.f, t.gone, t.gone.Path)})
	if s.finding != nil || !reports {
		return
	}
	k := c.candidate(t.inner, at).Is(variantOf(gone))
	c.because(k, claim)
	first := c.first(t.inner, gone, at)
	if gone.Foreign != "" && gone.Depth() > maxBelow && k.Says(far, gone.Pos, "it is taken away far below") ||
		first != at && k.Says(sameCause, first, "the function takes the file away here, too") {
		return
	}
	if len(claim) == 0 {
		if !k.Says(takenStale, gone.Pos, t.deed) {
			return
		}
		claim = []finding.Evidence{{Pos: gone.Pos, Text: t.deed}}
	}
	asked, text := gone.Pos, "it is taken away in any case before it is made"
	if t.ask != nil {
		asked, text = t.ask.Pos, "what it finds here decides whether the file is taken away"
	}
	if !k.Says(takesOver, asked, text) {
		return
	}
	fd := c.about(variantOf(gone), t.inner, call, claim, nil)
	describe(fd, t)
	fd.NoFix = "only its author can say how the file is to be asked for; safeio.TryLock needs no taking over, as the system releases the lock of a process that died"
	s.found(k, fd)
}

// inAnyCase reports whether a function removes a lock in any case before it makes it, and does not
// come there by having made it.
func (c *checker) inAnyCase(f *effects.Func, gone, made *effects.Effect) bool {
	if gone == nil || made == nil || gone.Kind != effects.Remove || gone.Foreign != "" || !effects.Before(gone, made) {
		return false
	}
	for e := gone.Of; e != nil; e = e.Of { // a function on the way to the removal may decide on it
		if e.At == nil {
			return false
		}
		for r := range flow.Returns(e.At.Parent()) {
			if !c.p.Flow.Dominates(e.At, r) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(c.takings(f).locks, func(e *effects.Effect) bool {
		return memory.SameFile(e.Path, gone.Path) && effects.Reaches(e, gone) && !effects.Before(gone, e) && !c.p.Failed(f, e, gone)
	})
}

// first is the place of the first of the calls by which a function takes away one file and
// that are reported.
func (c *checker) first(inner *effects.Func, gone *effects.Effect, at token.Pos) token.Pos {
	key := removal{inner, gone.Path.Key()}
	if _, ok := c.removals[key]; !ok {
		c.removals[key] = at
	}
	return c.removals[key]
}

// A removal is that of a file by a function, whatever for.
type removal struct {
	in   *effects.Func
	path string
}

// releasesOwn reports whether f gives up by gone what it has made itself: after it has asked, by
// the call that asks as well, or by a call that is nearer to gone than that.
func (c *checker) releasesOwn(f *effects.Func, ask, gone *effects.Effect) bool {
	near := shared(ask, gone)
	return slices.ContainsFunc(c.takings(f).locks, func(made *effects.Effect) bool {
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

// takenWhenStale is what says that a file which one process alone can make is a lock, because
// it is taken away when it is old or when its holder has ended; empty for any other. A
// directory that gets old may be one of files that nobody needs any more.
func (c *checker) takenWhenStale(inner *effects.Func, gone, made *effects.Effect) string {
	switch by := c.p.Stale(inner, gone); {
	case made.Makes && made.Kind != effects.CreateExclusive || !c.x.Log().Asks(takenStale):
	case by.Owner:
		return inner.Name() + " takes it away when its holder has ended"
	case by.Aged && made.Kind == effects.CreateExclusive:
		return inner.Name() + " takes it away when it is old"
	}
	return ""
}

// restored judges a file that f has renamed, since it took it for stale, and now renames
// back: that replaces what another has made in between, who goes on, too.
func (c *checker) restored(f *effects.Func, back *effects.Effect) {
	gone := takenAway(f, back)
	if gone == nil || back.Foreign != "" || back.When != effects.Inline {
		return
	}
	i := slices.IndexFunc(f.OfKind(effects.CreateExclusive), func(e *effects.Effect) bool { return memory.SameFile(e.Path, gone.Path) })
	at, inner, ok := c.meet(f, gone, back)
	if i < 0 || !ok {
		return
	}
	made := f.OfKind(effects.CreateExclusive)[i]
	s := c.at(at.Pos())
	s.contexts = append(s.contexts, context{f: f, locked: lockedFor(f, back, gone.Path)})
	claim := c.claim(f, made)
	if s.finding != nil || len(claim) == 0 {
		return
	}
	k := c.candidate(inner, at.Pos()).Is("restore")
	c.because(k, claim)
	if !k.Says(putsBack, gone.Pos, "the file is renamed here, and back by a call that replaces what is there") ||
		c.x.Generated(back.Pos) && k.Says(generated, back.Pos, "") {
		return
	}
	fd := c.about("restore", inner, at, claim, nil)
	path := gone.Innermost().Path.Named(gone.Path.Named("its file"))
	fd.Sentence = fmt.Sprintf("%s puts %s back by a call that replaces what is there: who has made it since it was taken away loses it, and both go on", fd.Func, path)
	fd.Schedule = []finding.Step{
		{Actor: "process A", Pos: gone.Pos, Does: "renames " + path + ", which is B's and fresh"},
		{Actor: "process C", Pos: made.Pos, Does: "finds none, makes its own and goes on as its owner"},
		{Actor: "process A", Pos: back.Pos, Does: "puts the file of B in the place of C's: B and C both go on"},
	}
	fd.NoFix = "a link does not replace what is there; safeio.TryLock needs no taking over, as the system releases the lock of a process that died"
	s.found(k, fd)
}

// takenAway is where f has renamed the file that it renames back, by the call that is
// nearest to that; nil for nowhere.
func takenAway(f *effects.Func, back *effects.Effect) *effects.Effect {
	var gone *effects.Effect
	near := -1
	for _, e := range f.OnFile(back.Target, effects.Rename) {
		if e.When != effects.Inline || !memory.SameFile(back.Path, e.Target) || !effects.Reaches(e, back) {
			continue
		}
		if n := shared(e, back); n > near {
			gone, near = e, n
		}
	}
	return gone
}

// harmless is the rule by which it does no harm that f takes a file away and makes it
// again, and what that has seen; nil for none.
func (c *checker) harmless(f *effects.Func, gone, made *effects.Effect, plain bool) (*verdict.Rule, string) {
	log := c.x.Log()
	switch {
	case log.Asks(generated) && c.x.Generated(gone.Pos):
		return generated, ""
	case plain && log.Asks(leftForOthers):
		return leftForOthers, "it is made again by a call that takes an existing one"
	case log.Asks(sameCause) && c.reported[made.Pos]:
		return sameCause, "the making of the file is reported"
	case log.Asks(ownLock) && lockedItself(f, made):
		return ownLock, "the file is locked itself"
	case log.Asks(looksAfter) && gone.Kind == effects.Rename && lookedAt(f, gone):
		return looksAfter, "the function looks at the file that it has renamed"
	}
	return nil, ""
}

// remade is how f makes the file again that gone takes away: exclusively, so that
// it is a lock, or in a function that is named as the taking of one. A pid file
// that a process only leaves for others to find is neither: then plain is true.
func (c *checker) remade(f *effects.Func, gone *effects.Effect) (made *effects.Effect, plain bool) {
	again := func(e *effects.Effect) bool { return memory.SameFile(e.Path, gone.Path) && c.p.Remakes(f, gone, e) }
	list := c.takings(f)
	if i := slices.IndexFunc(list.locks, again); i >= 0 {
		return list.locks[i], false
	}
	if log := c.x.Log(); log.Asks(leftForOthers) && !log.Keeps() {
		return nil, false
	}
	if i := slices.IndexFunc(list.plain, again); i >= 0 {
		return list.plain[i], true
	}
	return nil, false
}

// takings are the effects of a function that make a file or directory: those by which it
// could take a lock, and all others.
type takings struct{ locks, plain []*effects.Effect }

// takings lists them once for all that f takes away.
func (c *checker) takings(f *effects.Func) takings {
	list, ok := c.taking[f]
	if !ok {
		acquires := lexicon.Acquires(f.SSA.Name())
		for _, e := range c.makings(f) {
			if !e.Makes || e.Kind == effects.CreateExclusive || acquires {
				list.locks = append(list.locks, e)
			} else {
				list.plain = append(list.plain, e)
			}
		}
		c.taking[f] = list
	}
	return list
}

// lookedAt reports whether f looks at a file once it is renamed, and does something with
// what it finds there.
func lookedAt(f *effects.Func, gone *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(effects.Stat, effects.Read), func(e *effects.Effect) bool {
		return asks(e) && memory.SameFile(e.Path, gone.Target) && effects.Reaches(gone, e) && failure.AnswerUsed(e)
	})
}

func variantOf(gone *effects.Effect) string {
	if gone.Kind == effects.Rename {
		return "aside"
	}
	return "reclaim"
}

// describe tells how two processes take over one stale file.
func describe(f *finding.Finding, t taking) {
	path, takes := t.gone.Path.Named("its file"), "removes"
	if t.gone.Kind == effects.Rename {
		takes = "renames"
	}
	stale := []finding.Step{
		{Actor: "process A", Pos: t.gone.Pos, Does: takes + " it"},
		{Actor: "process A", Pos: t.made.Pos, Does: "makes its own and goes on as its owner"},
		{Actor: "process B", Pos: t.gone.Pos, Does: takes + " what A has just made"},
		{Actor: "process B", Pos: t.made.Pos, Does: "makes its own and goes on as its owner, too"},
	}
	if t.ask == nil {
		f.Sentence = fmt.Sprintf("%s %s %s before it makes it, whoever has made it: of two processes the slower one %s the fresh file of the faster one, and both go on", f.Func, takes, path, takes)
		stale[0].Does = takes + " " + path
		f.Schedule = stale
		return
	}
	f.Sentence = fmt.Sprintf("%s %s %s where it takes it for stale: of two processes that do, the slower one %s the fresh file of the faster one, and both go on", f.Func, takes, path, takes)
	f.Schedule = append([]finding.Step{
		{Actor: "process A", Pos: t.ask.Pos, Does: "takes " + path + " for stale"},
		{Actor: "process B", Pos: t.ask.Pos, Does: "takes the same file for stale"},
	}, stale...)
}
