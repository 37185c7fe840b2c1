package lostupdate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A saving is a write that saves an object as somebody has loaded it before.
type saving struct {
	f           *effects.Func
	write       *effects.Effect
	last        *effects.Effect // changes the file: the write, or the rename behind it
	file        *pathexpr.Term
	lock        *effects.Effect // of the object, that the function takes before; nil for none
	notReloaded bool            // nothing loads it again

	elsewhere bool // who makes the object in another package names the file

	variable bool // it is a package variable
	asked    bool // the function waits for the user before
}

// stale reports the objects that functions are given, change and save to their file
// without loading them again: under a lock that they take themselves, or with none
// where another method loads such an object again.
func (c *checker) stale() []*finding.Finding {
	var out []*finding.Finding
	var placings []placing
	for _, f := range c.p.Funcs {
		said := false
		for _, w := range f.Effects {
			if w.Kind != effects.Write && w.Kind != effects.Replace || !savesStale(c.p, f, w) {
				continue
			}
			s, k := c.saving(f, w)
			if s == nil {
				continue
			}
			found := c.judgeStale(s, k)
			if found == nil || said && k.Says(oneCause, found.Pos, "another save of "+f.Name()+" is reported") {
				continue
			}
			said = true
			if s.elsewhere {
				placings = append(placings, placing{found, k, s})
				continue
			}
			k.Reported = true
			c.savesBy(s.last)
			out = append(out, found)
		}
	}
	return append(out, c.oneOfEach(placings)...)
}

// A placing is what would be reported of a store that other packages open by path.
type placing struct {
	found *finding.Finding
	k     *verdict.Candidate
	s     *saving
}

// oneOfEach reports one of the methods of each type that save it in the same way, whatever the
// order in which they stand: the method by which all of them save, or the first by name.
func (c *checker) oneOfEach(placings []placing) (out []*finding.Finding) {
	byType := map[string][]placing{}
	for _, p := range placings {
		byType[p.s.write.Object.Type] = append(byType[p.s.write.Object.Type], p)
	}
	for _, typ := range slices.Sorted(maps.Keys(byType)) {
		all := byType[typ]
		slices.SortStableFunc(all, func(a, b placing) int { return cmp.Compare(a.s.f.Name(), b.s.f.Name()) })
		first := all[0]
		if common := c.common(all); common != nil {
			first, all = *common, append([]placing{*common}, all...)
		}
		for n, p := range all {
			if n > 0 && p.k.Says(oneCause, p.found.Pos, first.s.f.Name()+" is reported, by which it saves the object or which saves it so, too") {
				continue
			}
			p.k.Reported = true
			c.savesBy(p.s.last)
			out = append(out, p.found)
		}
	}
	return out
}

// common is the method of the object by which all of several methods save it, nil where there
// is none.
func (c *checker) common(all []placing) *placing {
	if len(all) < 2 {
		return nil
	}
	var s *saving
	for _, p := range all {
		write := p.s.write.Of
		if write == nil || write.Object == nil || write.At == nil {
			return nil
		}
		in := &saving{f: c.p.Of(write.At.Parent()), write: write, notReloaded: true, elsewhere: true}
		if in.f == nil {
			return nil
		}
		if in.file, in.last = in.f.Saves(write); in.file == nil || in.last.Here() == nil || s != nil && s.last.Here() != in.last.Here() {
			return nil
		}
		s = in
	}
	if s.write.Object.Type != all[0].s.write.Object.Type || !s.own() {
		return nil
	}
	at := s.last.Here().Pos()
	k := c.candidateAt(at, s.f)
	rule, text := s.shows()
	if k.Reported || !k.Is("stale").Says(rule, at, text) {
		return nil
	}
	found := c.judgeStale(s, k)
	if found == nil {
		return nil
	}
	found.Sentence = fmt.Sprintf("%s saves %s as it was loaded when it was made, for %d methods that change it: what another process has saved since is lost", found.Func, s.write.Object.Subject(), len(all))
	return &placing{found, k, s}
}

// saving is what a write saves and the candidate that it is; nil where nothing shows that
// others change the file in the meantime, or a rule speaks against that.
func (c *checker) saving(f *effects.Func, w *effects.Effect) (*saving, *verdict.Candidate) {
	s := &saving{f: f, write: w}
	if s.file, s.last = f.Saves(w); s.file == nil || s.last.Here() == nil {
		return nil, nil
	}
	// Of what is far below the rest is asked only where it is noted: that takes long.
	if distant := len(w.Via) > maxSave; distant && c.x.Log().Asks(far) && !c.x.Log().Keeps() || !loadsFromFiles(c.p, w.Object) {
		return nil, nil
	}
	if s.lock = s.ownLock(); s.lock == nil && !c.contended(s) {
		return nil, nil
	}
	at := s.last.Here().Pos()
	k := c.candidateAt(at, f)
	if !k.Reported {
		k.Is("stale")
	}
	if what, text := s.shows(); !k.Says(what, at, text) {
		return nil, nil
	}
	if s.excused(c, k.Says) {
		return nil, nil
	}
	return s, k
}

// shows is the rule that speaks for others changing the file in the meantime.
func (s *saving) shows() (*verdict.Rule, string) {
	switch object := s.write.Object.Subject(); {
	case s.lock != nil:
		return ownLock, "it takes the lock of " + object + ", and does not load it"
	case s.elsewhere:
		return placed, object + " is loaded when it is made, from a file that other packages name"
	case s.notReloaded:
		return loadedOnce, object + " is loaded when it is made"
	default:
		return loadedAgain, "another method loads " + object + " again"
	}
}

// excused reports whether a rule speaks against a saving.
func (s *saving) excused(c *checker, says listener) bool {
	at, f := s.last.Here().Pos(), s.f
	if len(s.write.Via) > maxSave && says(far, at, "the write is far below") ||
		lexicon.CallersLock(f.SSA.Name()) && says(lockedName, at, "its name says that callers have the lock") ||
		begins(f) && says(beginning, at, "it is named for making what it saves") ||
		!s.variable && replaces(c.p.Flow, f, s.write) && says(overwrittenFields, at, "each field of what is saved is assigned to before") {
		return true
	}
	if s.lock == nil {
		if l := cycles.Spanning(c.p.Package, f, effects.Lock, s.write, s.write, s.file); l != nil && says(otherLock, l.Pos, "a lock is held at the save") ||
			!s.variable && mutexed(f, s.write.Object) && says(serverObject, at, s.write.Object.Subject()+" has a mutex") ||
			c.said[f] && says(oneCause, at, "a function that saves by this one is reported") {
			return true
		}
	}
	return c.calledLocked(s) && says(callersHold, at, "a lock is held where it is called")
}

// replaces reports whether what is encoded is a struct in a field of the object, all of whose
// fields the function itself assigns to on every way: nothing of what was loaded is left.
func replaces(p *flow.Program, f *effects.Func, w *effects.Effect) bool {
	assigned := map[string]map[int]bool{} // by the name of the field of the object
	for i := range flow.Instrs(f.SSA) {
		st, ok := i.(*ssa.Store)
		if !ok {
			continue
		}
		part, ok := st.Addr.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		whole, ok := part.X.(*ssa.FieldAddr)
		if !ok || len(f.SSA.Params) == 0 || whole.X != f.SSA.Params[0] || !p.Dominates(st, w.At) {
			continue
		}
		name := memory.StructOf(whole.X.Type()).Field(whole.Field).Name()
		if assigned[name] == nil {
			assigned[name] = map[int]bool{}
		}
		assigned[name][part.Field] = true
		if len(assigned[name]) == memory.StructOf(part.X.Type()).NumFields() && encodes(w.Data, name) {
			return true
		}
	}
	return false
}

// encodes reports whether bytes are what an encoder makes of a field of that name.
func encodes(data *pathexpr.Term, field string) bool {
	return data.Any(func(t *pathexpr.Term) bool {
		return t.Kind == pathexpr.Encoded && len(t.Args) > 0 && t.Args[0].Kind == pathexpr.Field && t.Args[0].Text == field
	})
}

// calledLocked reports whether a lock is held at each call of the function.
func (c *checker) calledLocked(s *saving) bool {
	return c.x.Log().Asks(callersHold) && c.p.Callers().Always(s.f.SSA, func(call ssa.CallInstruction) bool {
		g := c.p.Of(call.Parent())
		return g != nil && cycles.LockedAt(c.p.Package, g, call)
	})
}

// contended reports whether others change the file while the object is in use: the program
// loads it again elsewhere, or has loaded it once for all, in each process that the user
// starts.
func (c *checker) contended(s *saving) bool {
	if !changes(c.p, s.f, s.write, s.write.Object) {
		return false
	}
	s.notReloaded = !reread(c.p, s.write.Object)
	if !s.notReloaded || s.own() && ownCopy(c.p, s.write.Object, s.file) {
		return true
	}
	s.elsewhere = s.own() && placedElsewhere(c.p, s.write.Object, s.file)
	return s.elsewhere
}

// own reports whether the object is the one that the method belongs to: what another
// is given may just have been made, or loaded.
func (s *saving) own() bool { return s.f.SSA.Signature.Recv() != nil && s.write.Object.Index == 0 }

// begins reports whether a function is named for making what it is given: nobody has
// loaded that before.
func begins(f *effects.Func) bool {
	words := lexicon.Words(f.SSA.Name())
	return len(words) > 0 && lexicon.Begins[words[0]]
}

// ownLock is a lock of the file or of the object that is saved, taken by the function
// itself and held then.
func (s *saving) ownLock() *effects.Effect {
	object := s.write.Object.Key()
	i := slices.IndexFunc(s.f.Effects, func(l *effects.Effect) bool {
		return l.Kind == effects.Lock && !l.Shared && len(l.Via) <= maxLoad && effects.Before(l, s.write) &&
			(effects.Beside(l, s.file) || l.Handle != nil && l.Handle.Any(func(t *pathexpr.Term) bool { return t.Key() == object }))
	})
	if i < 0 {
		return nil
	}
	return s.f.Effects[i]
}

// judgeStale is the finding of a saving, nil where the file holds no state.
func (c *checker) judgeStale(s *saving, k *verdict.Candidate) *finding.Finding {
	pos := s.last.Here().Pos()
	if c.x.Generated(pos) && k.Says(generated, pos, "the source is generated") ||
		pathexpr.Chosen(s.file) && k.Says(chosen, pos, "the user names the file") ||
		forWho(s.file) && k.Says(whoIsThere, pos, "its name says that it is a lock, a pid file or a heartbeat") ||
		cycles.IsCache(s.file) && k.Says(cache, pos, "it is named as a cache") {
		return nil
	}
	v, ev := c.x.Judge(k, s.f, s.write, s.file, evidence.Manner{Published: s.last != s.write, Updated: s.asked, Loaded: s.asked})
	if !v.State {
		return nil
	}
	at := s.last.Here()
	object := s.write.Object.Subject()
	f := &finding.Finding{
		Check: Name, Variant: "stale", Pos: at.Pos(), End: at.End(), Func: s.f.Name(), Evidence: ev,
		NoFix: "the function has to load it again, and knows best where",
	}
	c.x.Weigh(k, f, v.Proven, s.f, s.write, s.file, true)
	saves := fmt.Sprintf("%s saves %s as it was loaded before it was called", f.Func, object)
	step := "changes " + object + " and saves it"
	switch {
	case s.variable:
		saves = fmt.Sprintf("%s changes %s and saves it as another function has loaded it before", f.Func, object)
	case s.notReloaded:
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
