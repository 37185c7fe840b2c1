package lostupdate

import (
	"fmt"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
)

// settings reports where a store is given what was got from it, changed: it takes its
// lock for each of the calls alone.
func (c *checker) settings() []*finding.Finding {
	var out []*finding.Finding
	for _, f := range c.p.Funcs {
		if callersLock(f) {
			continue
		}
		for _, s := range settings(c.p, f) {
			if s.Get == nil || s.Set == nil || c.x.Generated(s.Set.Pos()) || lockedAt(f, s.Instr) || c.lockedAbove(f) {
				continue
			}
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
