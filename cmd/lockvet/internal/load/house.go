package load

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/internal/known"
)

// House lists the packages that the named ones import, also through others, of modules that are no main
// modules and yet of the same house: that a folder replaces, or that the owner of a main module has. Only
// those are listed that can change or lock files, directly or through one another: the others would be
// type-checked for nothing.
func (c Config) House(named []*packages.Package) []*packages.Package {
	owners := make(map[string]bool)
	packages.Visit(named, func(p *packages.Package) bool {
		if p.Module != nil && p.Module.Main {
			owners[owner(p.Module.Path)] = true
		}
		return true
	}, nil)
	var house []*packages.Package
	changing := make(map[string]bool)
	packages.Visit(named, nil, func(p *packages.Package) {
		if !ofHouse(p.Module, owners) || known.IsCopy(p.PkgPath) {
			return
		}
		changes := func(imp *packages.Package) bool { return changing[imp.ID] }
		if c.mayChange(p) || slices.ContainsFunc(slices.Collect(maps.Values(p.Imports)), changes) {
			changing[p.ID] = true
			house = append(house, p)
		}
	})
	slices.SortFunc(house, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	return house
}

// mayChange reports whether a package may itself change or lock files, by the text of its files.
func (c Config) mayChange(p *packages.Package) bool {
	for _, name := range p.CompiledGoFiles {
		src, err := c.ReadFile(name)
		for path := range p.Imports {
			if err == nil && known.MayChange(path, src) {
				return true
			}
		}
	}
	return false
}

// OnlyHere are the modules of the house of which a package imports one that can change files, and that the
// go command keeps at a version: go vet and golangci-lint do not tell which modules are of one house, and follow none
// of these.
func OnlyHere(p *packages.Package, house []*packages.Package) (modules []string) {
	for _, imp := range p.Imports {
		if m := imp.Module; slices.Contains(house, imp) && (m.Replace == nil || m.Replace.Version != "") {
			modules = append(modules, m.Path)
		}
	}
	slices.Sort(modules)
	return slices.Compact(modules)
}

// ofHouse reports whether a module that is no main module is of the same house.
func ofHouse(m *packages.Module, owners map[string]bool) bool {
	if m == nil || m.Main {
		return false
	}
	return m.Replace != nil && m.Replace.Version == "" || owners[owner(m.Path)]
}

// owner is whose a module is by its path: github.com/acme of github.com/acme/lib/v2, and example.com of
// example.com/lib.
func owner(path string) string {
	host, rest, _ := strings.Cut(path, "/")
	name, _, more := strings.Cut(rest, "/")
	if more {
		return host + "/" + name
	}
	return host
}
