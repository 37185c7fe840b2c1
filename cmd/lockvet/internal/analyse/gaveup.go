package analyse

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/flow"
)

// A GaveUp is a question about a package that its analysis did not answer, so that
// findings there may be missing.
type GaveUp struct {
	Package  string `json:"package"`
	Question string `json:"question"`
	// Func is the function that it was about, empty where it was about none.
	Func string `json:"func"`
	// Steps are those that the analysis of the package had taken by then.
	Steps int `json:"steps"`
	// Bound is what ended the analysis: "steps", "rounds" or "size". A larger -budget
	// has more steps, and moves no other bound.
	Bound flow.Bound `json:"bound"`
}

// allGaveUp lists what the analysis gave up in packages, in order of their import paths;
// what is the same in two variants of a package as it is in the one without tests.
func (u *run) allGaveUp(pkgs []*packages.Package) (all []GaveUp) {
	pkgs = slices.Clone(pkgs)
	slices.SortStableFunc(pkgs, func(a, b *packages.Package) int { return strings.Compare(a.ForTest, b.ForTest) })
	for _, p := range pkgs {
		for _, g := range u.done[p.ID].gaveUp {
			all = append(all, GaveUp{p.PkgPath, g.Question, g.Func, g.Steps, g.Bound})
		}
	}
	compare := func(a, b GaveUp) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Func, b.Func),
			strings.Compare(a.Question, b.Question))
	}
	slices.SortStableFunc(all, compare)
	return slices.CompactFunc(all, func(a, b GaveUp) bool { return compare(a, b) == 0 })
}
