package repair

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/known"
)

// Replaces names a library by which a package of the module of a given one replaces files; empty for none.
func Replaces(of *packages.Package, pkgs []*packages.Package, _ func(name string) ([]byte, error)) string {
	for _, p := range pkgs {
		if p.Module == nil || p.Module.Path != of.Module.Path || p.ForTest != "" {
			continue
		}
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			if known.ReplacesFiles(path) {
				return path
			}
		}
	}
	return ""
}
