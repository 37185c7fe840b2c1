package tornwrite

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
)

// rounds reports whether a function is called on one goroutine alone, and there again
// and again, or by nobody but a loop that waits for events: it does the work of a
// server, of which there is one.
func rounds(p *effects.Package, fn *ssa.Function) bool {
	c := p.Callers()
	return served(p, fn) ||
		c.Goroutine(fn) != nil &&
			!slices.ContainsFunc(c.Sites(fn), func(site ssa.CallInstruction) bool { return !p.Flow.Reaches(site, site) })
}

// served reports whether every way into a function comes from a loop that waits for
// events, or from behind one.
func served(p *effects.Package, fn *ssa.Function) bool {
	return p.Callers().Always(fn, func(site ssa.CallInstruction) bool { return afterEvents(p, site) && startedOnce(p, site.Parent()) })
}

// startedOnce reports whether no more than one goroutine is started with a function.
func startedOnce(p *effects.Package, fn *ssa.Function) bool {
	started := 0
	for _, site := range p.Callers().Sites(fn) {
		if _, spawned := site.(*ssa.Go); spawned {
			if started++; started > 1 || p.Flow.Reaches(site, site) {
				return false
			}
		}
	}
	return true
}

// afterEvents reports whether a function comes to a call only from a select that it
// repeats.
func afterEvents(p *effects.Package, site ssa.CallInstruction) bool {
	for _, b := range site.Parent().Blocks {
		for _, i := range b.Instrs {
			if sel, ok := i.(*ssa.Select); ok && sel.Blocking && p.Flow.Reaches(sel, sel) && p.Flow.Dominates(sel, site) {
				return true
			}
		}
	}
	return false
}
