package lostupdate

import (
	"fmt"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
)

// settings reports where a store is given what was got from it, changed: it takes its
// lock for each of the calls alone.
func (c *checker) settings() []*finding.Finding {
	var out []*finding.Finding
	for _, f := range c.p.Funcs {
		for _, s := range settings(c.p, f) {
			if s.Get == nil || s.Set == nil {
				continue
			}
			k, at := c.candidateAt(s.Set.Pos(), f).Is("split"), s.Set.Pos()
			if !k.Says(setter, at, "the store locks each call for itself") ||
				lexicon.CallersLock(f.SSA.Name()) && k.Says(lockedName, at, "its name says that callers have the lock") ||
				c.x.Generated(at) && k.Says(generated, at, "the source is generated") ||
				cycles.LockedAt(c.p.Package, f, s.Instr) && k.Says(lockHeld, at, "a lock is held at the call") ||
				c.lockedAbove(f) && k.Says(callersHold, at, "a lock is held where the function is called") {
				continue
			}
			k.Reported = true
			out = append(out, splitSetting(f, s))
		}
	}
	return out
}

func splitSetting(f *effects.Func, s setting) *finding.Finding {
	get, set := s.Get.Pos(), s.Set.Pos()
	what := s.Setter.What
	return &finding.Finding{
		Check: Name, Variant: "split", Pos: set, End: s.Set.End(), Func: f.Name(),
		Sentence: fmt.Sprintf("%s sets %s of the store to those that it has got from it before, changed: what another process sets in between is lost", f.Name(), what),
		Evidence: []finding.Evidence{{Pos: set, Text: "the store locks each call for itself, and has " + s.Setter.Instead + " to change a part"}},
		Schedule: []finding.Step{
			{Actor: "process A", Pos: get, Does: "gets the " + what + " from the store"},
			{Actor: "process B", Pos: set, Does: "sets others", File: "the change of B"},
			{Actor: "process A", Pos: set, Does: "sets what it got, with its own change", File: "the change of A, and not that of B"},
		},
		NoFix: "the new ones are for " + s.Setter.Instead + ", and which they are comes out as it runs",
	}
}
