package failure

import (
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/lexicon"
)

// A Stale says for what a function takes a file away: because it was written long ago, or
// what it says of a time is long past; or because of what has become of its holder.
type Stale struct{ Written, Aged, Owner bool }

// Stale is for what f does gone, as far as the conditions tell that lead there and the
// functions that these are computed with.
func (p *Package) Stale(f *effects.Func, gone *effects.Effect) (by Stale) {
	if gone.At == nil || gone.At.Parent() != f.SSA || gone.When != effects.Inline {
		return by
	}
	for branch := range flow.Branches(f.SSA) {
		if !p.decides(branch, gone.At.Block()) {
			continue
		}
		for name := range p.callsIn(branch.Cond) {
			if word, _ := lexicon.Owners.In(name); word != "" {
				by.Owner = true
			}
			by.Written = by.Written || name == "ModTime"
			by.Aged = by.Aged || lexicon.TellsTime[name]
		}
	}
	return by
}
