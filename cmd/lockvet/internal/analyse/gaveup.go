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
	Package string // the import path
	flow.GaveUp
}

// allGaveUp lists what the analysis gave up in packages, in order of their import paths;
// what is the same in two variants of a package as it is in the one without tests.
func (u *run) allGaveUp(pkgs []*packages.Package) []GaveUp {
	pkgs = slices.Clone(pkgs)
	slices.SortStableFunc(pkgs, func(a, b *packages.Package) int {
		return cmp.Or(strings.Compare(a.PkgPath, b.PkgPath), strings.Compare(a.ForTest, b.ForTest))
	})
	var all []GaveUp
	for _, p := range pkgs {
		for _, g := range u.done[p.ID].gaveUp {
			all = append(all, GaveUp{p.PkgPath, g})
		}
	}
	compare := func(a, b GaveUp) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), a.Compare(b.GaveUp))
	}
	slices.SortStableFunc(all, compare)
	return slices.CompactFunc(all, func(a, b GaveUp) bool { return compare(a, b) == 0 })
}
