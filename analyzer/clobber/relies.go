package clobber

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/state"
)

// relied says who in the package goes on with what the function yields where there is an
// error, or with what a caller yields that passes it on. It is empty where all give the error
// to theirs, or leave.
func (c *checker) relied(f *effects.Func) string {
	for _, g := range c.telling(f) {
		for _, site := range c.p.Callers().Sites(g.SSA) {
			if h := c.p.Of(site.Parent()); h != nil && !c.p.Leaves(h, site) {
				return c.goesOn(h, g.Name(), site)
			}
		}
	}
	return ""
}

// goesOn says that a function goes on where a call in it fails.
func (c *checker) goesOn(f *effects.Func, callee string, site ssa.CallInstruction) string {
	return fmt.Sprintf("%s goes on where %s fails, at %s", f.Name(), callee, finding.At(c.p.Fset, site.Pos()))
}

// telling are the functions of the package that yield an error of the function: itself, and
// those that call it.
func (c *checker) telling(f *effects.Func) []*effects.Func {
	return flow.Reach(c.p.Flow.Budget, func(g *effects.Func) (list []*effects.Func) {
		for _, site := range c.p.Callers().Sites(g.SSA) {
			if h := c.p.Of(site.Parent()); h != nil && memory.ReturnsError(h.SSA.Signature) {
				list = append(list, h)
			}
		}
		return list
	}, f)
}

// askCallers has callers in other packages asked, if they get the error and something that
// they could use besides: only a run over their packages knows what they do with it.
func (c *checker) askCallers(f *effects.Func, at *finding.Finding) {
	if at.Heard = c.heard(f); len(at.Heard) == 0 {
		return
	}
	at.Elsewhere = finding.FailsIn(f.FullName())
	offer := *at
	offer.Heard = nil
	c.offered = append(c.offered, &offer)
}

// heard are the places at which other packages get an error of the function with something else.
func (c *checker) heard(f *effects.Func) (places []string) {
	for _, g := range c.telling(f) {
		if effects.Exported(g.SSA) && yieldsMore(g) {
			places = append(places, finding.FailsIn(g.FullName()))
		}
	}
	return places
}

// Offers are the fixes that callers in other packages have a say in, and what this package says
// of those of others: a finding with a reason objects, one without says who gets the error next.
func Offers(p *effects.Package, x *state.Index) []*finding.Finding {
	c := visited(p, x)
	offers := slices.Clone(c.offered)
	for _, f := range p.Funcs {
		asked := map[ssa.Instruction]bool{}
		for _, e := range f.OfKind(effects.Read, effects.Decode) {
			site, ok := e.At.(ssa.CallInstruction)
			if !ok || asked[e.At] || e.Foreign == "" || len(e.Via) > 0 || site.Common().Signature().Results().Len() < 2 ||
				len(failure.Returned(site.Common())) == 0 {
				continue
			}
			asked[e.At] = true
			said := &finding.Finding{Check: Name, Pos: site.Pos(), Elsewhere: finding.FailsIn(e.Foreign)}
			if c.p.Leaves(f, site) {
				said.NoFix, said.Heard = c.relied(f), c.heard(f)
			} else {
				said.NoFix = c.goesOn(f, pathexpr.ShortName(e.Foreign), site)
			}
			offers = append(offers, said)
		}
	}
	return offers
}

// yieldsMore reports whether a function yields something besides an error.
func yieldsMore(f *effects.Func) bool { return f.SSA.Signature.Results().Len() > 1 }
