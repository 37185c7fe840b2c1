package lostupdate

import (
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Offers are the locks for functions that load and save a file which callers in
// other packages name: only they may know that it is one of state, and they report
// it. Each is a finding without evidence; [finding.Finding.Elsewhere] names the
// function. One without a remedy is an objection: of this package to a lock in a
// function of another, which NoFix gives the reason for.
func Offers(p *effects.Package, x *evidence.Index) []*finding.Finding {
	c := newChecker(p, x, slices.DeleteFunc(slices.Clone(reasons), asksCallers))
	offers := c.savers()
	for _, save := range c.order {
		s := c.sites[save]
		for _, k := range s.contexts {
			if reason := c.objection(k); reason != "" {
				offers = append(offers, &finding.Finding{Check: Name, Pos: save, Elsewhere: k.cycle.Read.Foreign, NoFix: reason})
			}
		}
		if f := c.offer(s); f != nil {
			offers = append(offers, f)
		}
	}
	return offers
}

// asksCallers reports whether a reason is none for what is planned for the callers in other
// packages: that they know the file.
func asksCallers(r reason) bool {
	return slices.Contains(r.rules, callersFile) || slices.Contains(r.rules, triedNames)
}

// objection says why a function of another package must not take a lock of its own
// where this context calls it, empty for nothing.
func (c *checker) objection(k context) string {
	switch {
	case !k.cycle.OneCall() || !fromCaller(k.cycle):
		return ""
	case k.locked() || k.above():
		return k.f.Name() + " has a lock already where it calls it"
	case pathexpr.Chosen(k.cycle.File) || !c.placed(k.cycle.File):
		return k.f.Name() + " gives it any file"
	}
	return ""
}

// offer is the lock for a cycle, nil where other packages do not name its file, a
// reason speaks for it or no lock can be placed.
func (c *checker) offer(s *site) *finding.Finding {
	if s.f == nil || s.cycle.OneCall() || !c.p.NamedElsewhere(s.f, s.cycle.Read) || c.spokenFor(s, c.asks) || c.variant(s, c.asks) != "unlocked" {
		return nil
	}
	r, otherwise := c.remedy(s, "unlocked")
	if otherwise != "" {
		return nil
	}
	return &finding.Finding{
		Check: Name, Variant: "unlocked", Pos: s.at.save, End: s.cycle.Last().Here().End(), Func: s.f.Name(),
		Remedy: r, Elsewhere: s.f.FullName(),
	}
}
