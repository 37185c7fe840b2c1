package lostupdate

import (
	"fmt"
	"slices"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// bypasses reports the functions that save a file with no lock, which another function of the
// package loads, changes and saves under a lock of the file: what the other has loaded it saves
// over what they have put there.
func (c *checker) bypasses() []*finding.Finding {
	protected, within := c.protected()
	if len(protected) == 0 {
		return nil
	}
	var out []*finding.Finding
	for _, f := range c.p.Funcs {
		if within[f] || f.SSA.Parent() != nil {
			continue
		}
		for _, w := range f.Effects {
			if found := c.bypass(f, w, protected, within); found != nil {
				out = append(out, found)
				break
			}
		}
	}
	return out
}

// protected are the sites that hold a lock of their file, and the functions that these go
// through.
func (c *checker) protected() (list []*site, within map[*effects.Func]bool) {
	within = map[*effects.Func]bool{}
	for _, save := range c.order {
		s := c.sites[save]
		if s.f == nil || !c.guarded(s, context.locked) {
			continue
		}
		list = append(list, s)
		for _, k := range s.contexts {
			within[k.f] = true
			for _, via := range slices.Concat(k.cycle.Read.Via, k.cycle.Last().Via) {
				if g := c.p.Callee(via); g != nil {
					within[g] = true
				}
			}
		}
	}
	return list, within
}

// bypass is the finding of a write, nil where a lock is held or a rule speaks against it.
func (c *checker) bypass(f *effects.Func, w *effects.Effect, protected []*site, within map[*effects.Func]bool) *finding.Finding {
	if w.Kind != effects.Write && w.Kind != effects.Replace || w.When != effects.Inline || w.At == nil || w.Object != nil || len(w.Via) > maxSave {
		return nil
	}
	file, last := f.Saves(w)
	if file == nil || last.Here() == nil {
		return nil
	}
	if len(last.Via) > 0 && !within[c.p.Callee(last.Via[0])] {
		return nil // the function that it calls is looked at
	}
	i := slices.IndexFunc(protected, func(s *site) bool { return s.f != f && abstractly(s.cycle.File, file) })
	if i < 0 || slices.ContainsFunc(cycles.Of(c.p.Package, f), func(cy cycles.Cycle) bool { return abstractly(cy.File, file) }) {
		return nil
	}
	s, at := protected[i], last.Here()
	k := c.candidateAt(at.Pos(), f)
	if k.Reported || !k.Is("bypass").Says(lockedElsewhere, s.at.save, s.f.Name()+" has a lock of the file while it changes it") {
		return nil
	}
	switch {
	case cycles.Spanning(c.p.Package, f, effects.Lock, last, last, nil) != nil && k.Says(otherLock, at.Pos(), "a lock is held at the save"),
		c.lockedAbove(f) && k.Says(callersHold, f.SSA.Pos(), "a lock is held where it is called"),
		lexicon.CallersLock(f.SSA.Name()) && k.Says(lockedName, at.Pos(), "its name says that callers have the lock"),
		begins(f) && k.Says(beginning, at.Pos(), "it is named for making what it saves"),
		c.x.Generated(at.Pos()) && k.Says(generated, at.Pos(), "the source is generated"),
		pathexpr.Chosen(file) && k.Says(chosen, at.Pos(), "the user names the file"),
		forWho(file) && k.Says(whoIsThere, at.Pos(), "its name says that it is a lock, a pid file or a heartbeat"):
		return nil
	}
	v, ev := c.x.Judge(k, f, w, file, evidence.Manner{Published: last != w, Updated: true})
	if !v.State {
		return nil
	}
	k.Reported = true
	name := name(file)
	found := &finding.Finding{
		Check: Name, Variant: "bypass", Pos: at.Pos(), End: at.End(), Func: f.Name(), Evidence: ev,
		NoFix:    "whether its callers hold the lock one day only its author can say",
		Sentence: fmt.Sprintf("%s saves %s without the lock under which %s loads it and saves it: one of the two is lost", f.Name(), name, s.f.Name()),
		Schedule: []finding.Step{
			{Actor: "process A", Pos: s.at.load, Does: "has the lock, and loads " + name},
			{Actor: "process B", Pos: at.Pos(), Does: "saves it without the lock", File: "what B has written"},
			{Actor: "process A", Pos: s.at.save, Does: "saves what it loaded with its change", File: "the change of A, and not what B has written"},
		},
	}
	c.x.Weigh(k, found, v.Proven, f, w, file, true)
	if k.Says(blindSave, at.Pos(), "nothing that "+f.Name()+" saves was loaded") {
		evidence.Lower(k, found)
	}
	return found
}
