package lostupdate

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A saving is a write that saves an object as somebody has loaded it before.
type saving struct {
	f     *effects.Func
	write *effects.Effect
	last  *effects.Effect // changes the file: the write, or the rename behind it
	file  *pathexpr.Term
	lock  *effects.Effect // of the object, that the function takes before; nil for none
	kept  bool            // nothing loads it again
}

// stale reports the objects that functions are given, change and save to their file
// without loading them again: under a lock that they take themselves, or with none
// where another method loads such an object again.
func (c *checker) stale() []*finding.Finding {
	var out []*finding.Finding
	for _, f := range c.p.Funcs {
		for _, w := range f.Effects {
			if w.Kind != effects.Write && w.Kind != effects.Replace || !savesStale(c.p, f, w) || len(w.Via) > maxSave {
				continue
			}
			if s := c.saving(f, w); s != nil {
				if found := c.judgeStale(s); found != nil {
					out = append(out, found)
					break // one report says it of all saves of the function
				}
			}
		}
	}
	return out
}

// saving is what a write saves, nil where nothing shows that others change the file
// in the meantime.
func (c *checker) saving(f *effects.Func, w *effects.Effect) *saving {
	s := &saving{f: f, write: w}
	if s.file, s.last = f.Saves(w); s.file == nil || s.last.Here() == nil || callersLock(f) || seldom(f.SSA) || begins(f) || !loadsFromFiles(c.p, w.Object) {
		return nil
	}
	if s.lock = s.ownLock(); s.lock == nil && !c.contended(s) {
		return nil
	}
	if c.p.Callers().Always(f.SSA, func(call ssa.CallInstruction) bool {
		g := c.p.Of(call.Parent())
		return g != nil && (lockedAt(g, call) || loadsFor(c.p, f, call, w.Object))
	}) {
		return nil
	}
	return s
}

// contended reports whether others change the file while the object is in use, which
// nothing keeps them from: the program loads it again elsewhere, or has loaded it
// once for all, in each process that the user starts.
func (c *checker) contended(s *saving) bool {
	if spanning(s.f, effects.Lock, s.write, s.write) != nil || mutexed(s.f, s.write.Object) || !changes(c.p, s.f, s.write) || c.said[s.f] {
		return false
	}
	s.kept = !reread(c.p, s.write.Object)
	return !s.kept || s.own() && kept(c.p, s.write.Object, s.file)
}

// own reports whether the object is the one that the method belongs to: what another
// is given may just have been made, or loaded.
func (s *saving) own() bool { return s.f.SSA.Signature.Recv() != nil && s.write.Object.Index == 0 }

// begins reports whether a function is named for making what it is given: nobody has
// loaded that before.
func begins(f *effects.Func) bool {
	words := lexicon.Words(f.SSA.Name())
	return len(words) > 0 && (words[0] == "new" || words[0] == "create" || words[0] == "make" || words[0] == "init")
}

// ownLock is a lock of the file or of the object that is saved, taken by the function
// itself and held then.
func (s *saving) ownLock() *effects.Effect {
	object := s.write.Object.Key()
	i := slices.IndexFunc(s.f.Effects, func(l *effects.Effect) bool {
		return l.Kind == effects.Lock && !l.Shared && len(l.Via) < 2 && effects.Before(l, s.write) &&
			(effects.Beside(l, s.file) || l.Handle != nil && l.Handle.Any(func(t *pathexpr.Term) bool { return t.Key() == object }))
	})
	if i < 0 {
		return nil
	}
	return s.f.Effects[i]
}

// judgeStale is the finding of a saving, nil where the file holds no state.
func (c *checker) judgeStale(s *saving) *finding.Finding {
	if c.x.Generated(s.last.Here().Pos()) || pathexpr.Chosen(s.file) || forWho(s.file) || pathexpr.Replaceable(s.file) {
		return nil
	}
	v, ev := c.x.Judge(c.x.Candidate(Name, s.write), s.f, s.write, s.file, evidence.Manner{Published: s.last != s.write})
	if !v.State {
		return nil
	}
	at := s.last.Here()
	object := s.write.Object.String()
	f := &finding.Finding{
		Check: Name, Variant: "stale", Pos: at.Pos(), End: at.End(), Func: s.f.Name(), Evidence: ev,
		NoFix: "the function has to load it again, and knows best where",
	}
	saves := fmt.Sprintf("%s saves %s as it was loaded before it was called", f.Func, object)
	step := "changes " + object + " and saves it"
	switch {
	case s.kept:
		saves = fmt.Sprintf("%s changes %s and saves it as it was loaded when it was made", f.Func, object)
	case s.lock != nil:
		saves = fmt.Sprintf("%s takes the lock of %s, and saves it as it was loaded before that", f.Func, object)
		step = "has the lock at last, changes " + object + " and saves it"
	}
	f.Sentence = saves + ": what another process has saved since is lost"
	f.Schedule = []finding.Step{
		{Actor: "process A", Pos: s.f.SSA.Pos(), Does: "comes here with " + object + ", which it has loaded", Memory: "what the file held then"},
		{Actor: "process B", Pos: at.Pos(), Does: "has loaded the same, and saves it with its change", File: "the change of B"},
		{Actor: "process A", Pos: at.Pos(), Does: step, File: "the change of A, and not that of B"},
	}
	return f
}
