// Package analyse runs the analyzer over loaded packages and gathers what it
// found. It knows how an analyzer is set up and run; it knows nothing of
// printing or mending.
package analyse

import (
	"fmt"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/finding"
)

// A Setting is a flag of the analyzer and the value that it was given.
type Setting struct {
	Name, Value string
}

// A Runner is an analysis, ready to be run.
type Runner struct {
	// New returns a fresh analyzer.
	New func() *analysis.Analyzer
	// Settings are set on each fresh analyzer, in order.
	Settings []Setting
	// SafeIO says under which import path mended code of a package reaches
	// package safeio.
	SafeIO func(*packages.Package) string
	// Overlay holds the content of files that differs from what is on disk.
	Overlay map[string][]byte
}

// Found is a finding and the package in which it was made.
type Found struct {
	*finding.Finding
	Pkg *packages.Package
	// Fingerprint names the finding across runs. It stays the same when lines
	// move.
	Fingerprint string
}

// Position is where the finding starts, as a compiler would print it.
func (f *Found) Position() token.Position { return f.Pkg.Fset.Position(f.Pos) }

// Run analyses the packages, which must be pruned. The findings are in source
// order; a finding that two variants of a package share is returned once.
func (r Runner) Run(pkgs []*packages.Package) ([]*Found, error) {
	// The import path of safeio is a flag, so that the packages of modules
	// with different ones need an analyzer each.
	groups := make(map[string][]*packages.Package)
	for _, p := range pkgs {
		path := r.SafeIO(p)
		groups[path] = append(groups[path], p)
	}
	var all []*Found
	for _, path := range slices.Sorted(maps.Keys(groups)) {
		found, err := r.runGroup(path, groups[path])
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	all = merge(all)
	r.fingerprint(all)
	return all, nil
}

func (r Runner) runGroup(safeio string, pkgs []*packages.Package) ([]*Found, error) {
	a, err := r.analyzer(safeio)
	if err != nil {
		return nil, err
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{a}, pkgs, nil)
	if err != nil {
		return nil, err
	}
	var all []*Found
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, fmt.Errorf("%s: %w", act.Package.PkgPath, act.Err)
		}
		for _, f := range act.Result.(*analyzer.Result).Findings {
			all = append(all, &Found{Finding: f, Pkg: act.Package})
		}
	}
	return all, nil
}

// analyzer is a fresh analyzer with its flags set and with eyes for the
// overlay, which checker.Analyze has no option for.
func (r Runner) analyzer(safeio string) (*analysis.Analyzer, error) {
	a := r.New()
	for _, s := range append(slices.Clone(r.Settings), Setting{"safeio", safeio}) {
		if a.Flags.Lookup(s.Name) == nil {
			continue
		}
		if err := a.Flags.Set(s.Name, s.Value); err != nil {
			return nil, fmt.Errorf("-%s: %w", s.Name, err)
		}
	}
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		pass.ReadFile = r.readFile
		return run(pass)
	}
	return a, nil
}

func (r Runner) readFile(name string) ([]byte, error) {
	if content := r.Overlay[name]; content != nil {
		return content, nil
	}
	return os.ReadFile(name)
}

// merge sorts findings and keeps one of those that are the same in two
// variants of a package: that of the package without its tests.
func merge(all []*Found) []*Found {
	slices.SortStableFunc(all, func(a, b *Found) int {
		pa, pb := a.Position(), b.Position()
		if c := strings.Compare(pa.Filename, pb.Filename); c != 0 {
			return c
		}
		if pa.Offset != pb.Offset {
			return pa.Offset - pb.Offset
		}
		if c := strings.Compare(a.Category(), b.Category()); c != 0 {
			return c
		}
		return strings.Compare(a.Pkg.ForTest, b.Pkg.ForTest)
	})
	return slices.CompactFunc(all, func(a, b *Found) bool {
		return a.Position() == b.Position() && a.Category() == b.Category()
	})
}
