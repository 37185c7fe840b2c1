package tornwrite

import (
	"cmp"
	"go/types"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/replacers"
	"github.com/lockvet/lockvet/internal/state"
)

// Offers are the fixes of writes in place to files that callers in other packages
// name: only they may know that such a file holds state, and they report it. Each is
// a finding without evidence; [finding.Finding.Elsewhere] is its place. One without a
// remedy is an objection: of this package to the fix of a place in another, which
// NoFix gives the reason for.
func Offers(p *effects.Package, x *state.Index) []*finding.Finding {
	c := visited(p, x)
	var offers []*finding.Finding
	for cands := range c.writes.Places() {
		for _, k := range cands {
			if reason := c.objection(k.write); reason != "" {
				offers = append(offers, &finding.Finding{Check: Name, Pos: k.write.Pos, Elsewhere: k.write.Site, NoFix: reason})
			}
		}
		if f := c.offer(cands); f != nil {
			offers = append(offers, f)
		}
	}
	return offers
}

// objection says who would notice that a file is replaced which another package
// writes, empty for nobody.
func (c *checker) objection(w *effects.Effect) string {
	if w.Site == "" {
		return ""
	}
	return cmp.Or(c.listed(w), c.noticed(w))
}

// offer is the fix of a write that nothing is to be said of in any context of the
// package, nil where other packages do not come to it or there is no fix.
func (c *checker) offer(cands []*candidate) *finding.Finding {
	var given *effects.Effect
	var root *effects.Func
	for _, k := range cands {
		switch w := k.write; {
		case k.temp || k.finding != nil || c.temps[w.Pos]:
			return nil
		case w.Kind == effects.Truncate && w.Foreign == "" && c.p.NamedElsewhere(k.root, w) && !c.harmless(k.root, w):
			given, root = w, k.root
		}
	}
	if given == nil {
		return nil
	}
	f := about(given, "inplace", nil)
	f.Remedy, f.NoFix = remedy(root, given)
	if c.keepInPlace(f, cands); f.Remedy == nil {
		return nil
	}
	f.Elsewhere = c.p.Site(given.Pos)
	if fn, ok := given.In.Object().(*types.Func); ok && given.Whole && given.Path.Kind == pathexpr.Param && replacers.TakesMode(fn) {
		f.Doubt = fn.Name() + " writes whatever file it is handed, also one that is no state: see that all of its callers " +
			"may have their files replaced"
	}
	return f
}
