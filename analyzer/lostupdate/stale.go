package lostupdate

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A saving is a write that saves an object which somebody has loaded before the lock of it was taken.
type saving struct {
	f           *effects.Func
	write, last *effects.Effect // last changes the file: the write, or the rename behind it
	file        *pathexpr.Term
}

// stale reports the functions that take the lock of an object that they are given, change it and
// save it, and do not load it again under the lock.
func (c *checker) stale() []*finding.Finding {
	var out []*finding.Finding
	for _, f := range c.p.Funcs {
		for _, w := range f.OfKind(effects.Write, effects.Replace) {
			if found := c.staleSave(f, w); found != nil {
				out = append(out, found)
				break
			}
		}
	}
	return out
}

// staleSave is the finding of a write, nil where it saves nothing stale or a rule speaks against it.
func (c *checker) staleSave(f *effects.Func, w *effects.Effect) *finding.Finding {
	if len(w.Via) > maxSave || !savesStale(c.p, f, w) || !loadsFromFiles(c.p, w.Object) {
		return nil
	}
	s := &saving{f: f, write: w}
	if s.file, s.last = f.Saves(w); s.file == nil || s.last.Here() == nil || !s.locked() {
		return nil
	}
	at := s.last.Here().Pos()
	k := c.candidateAt(at, f)
	if k.Reported || !k.Is("stale").Says(ownLock, at, "it takes the lock of "+w.Object.Subject()+", and does not load it") ||
		c.excused(s, k.Says) {
		return nil
	}
	v, ev := c.x.Judge(k, f, w, s.file, evidence.WriteContext{Published: s.last != w})
	if !v.State {
		return nil
	}
	k.Reported = true
	found := s.describe()
	found.Evidence = ev
	c.x.Weigh(k, found, v.Proven, f, w, s.file, true)
	return found
}

// locked reports whether the function takes, before the write, a lock of the file or of the object
// that is saved.
func (s *saving) locked() bool {
	object := s.write.Object.Key()
	return slices.ContainsFunc(s.f.OfKind(effects.Lock), func(l *effects.Effect) bool {
		return !l.Shared && len(l.Via) <= maxLoad && effects.Before(l, s.write) &&
			(effects.Beside(l, s.file) || l.Handle != nil && l.Handle.Any(func(t *pathexpr.Term) bool { return t.Key() == object }))
	})
}

// excused reports whether a rule speaks against a saving.
func (c *checker) excused(s *saving, says listener) bool {
	at := s.last.Here().Pos()
	return lexicon.CallersLock(s.f.SSA.Name()) && says(lockedName, at, "its name says that callers have the lock") ||
		c.calledLocked(s) && says(otherLock, at, "a lock is held where it is called") ||
		pathexpr.Chosen(s.file) && says(excludes.Chosen, at, "the user names the file") ||
		cycles.IsCache(s.file) && says(excludes.Cache, at, "it is named as a cache")
}

// calledLocked reports whether a lock is held at each call of the function.
func (c *checker) calledLocked(s *saving) bool {
	return c.x.Log().Asks(otherLock) && c.p.Callers().Always(s.f.SSA, func(call ssa.CallInstruction) bool {
		g := c.p.Of(call.Parent())
		return g != nil && cycles.LockedAt(c.p.Package, g, call)
	})
}

// describe is the finding of a saving.
func (s *saving) describe() *finding.Finding {
	at, object := s.last.Here(), s.write.Object.Subject()
	return &finding.Finding{
		Check: Name, Variant: "stale", Pos: at.Pos(), End: at.End(), Func: s.f.Name(),
		NoFix: "the function has to load it again, and knows best where",
		Sentence: fmt.Sprintf("%s takes the lock of %s, and saves it as it was loaded before that: "+
			"what another process has saved since is lost", s.f.Name(), object),
		Schedule: []finding.Step{
			{Actor: "process A", Pos: s.f.SSA.Pos(), Does: "comes here with " + object + ", which it has loaded",
				Memory: "what the file held then"},
			{Actor: "process B", Pos: at.Pos(), Does: "has loaded the same, and saves it with its change", File: "the change of B",
				Acts: []finding.Act{finding.Saves}},
			{Actor: "process A", Pos: at.Pos(), Does: "has the lock at last, changes " + object + " and saves it",
				File: "the change of A, and not that of B"},
		},
	}
}
