package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/analyse"
	"github.com/lockvet/lockvet/internal/flow"
)

// A GaveUp is a question about a package that its analysis did not answer.
type GaveUp = analyse.GaveUp

// bounds say of each bound what it ended, and whether -budget moves it.
var bounds = map[flow.Bound]struct{ ended, moves string }{
	flow.Steps:  {"the steps ended in ", "a larger -budget helps"},
	flow.Rounds: {"functions that call each other had no answer after the most rounds: ", "-budget does not help"},
	flow.Size:   {"there is more to follow than is followed in ", "-budget does not help"},
}

// GaveUpLines says for people what was given up: a line for each package and bound that its analysis met, with the
// functions, and whether -budget moves it.
func (d *Document) GaveUpLines() (lines []string) {
	type met struct {
		pkg   string
		bound flow.Bound
	}
	funcs := make(map[met][]string)
	var order []met
	for _, g := range d.GaveUp {
		m := met{g.Package, g.Bound}
		if !slices.Contains(order, m) {
			order = append(order, m)
		}
		if g.Func != "" && !slices.Contains(funcs[m], g.Func) {
			funcs[m] = append(funcs[m], g.Func)
		}
	}
	for _, m := range order {
		b := bounds[m.bound]
		lines = append(lines, fmt.Sprintf("package %s: findings may be missing: %s%s (%s)",
			m.pkg, b.ended, cmp.Or(Enumerate(funcs[m]), "the package"), b.moves))
	}
	return lines
}
