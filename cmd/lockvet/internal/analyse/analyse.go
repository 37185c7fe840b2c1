// Package analyse runs the analyzer over loaded packages and gathers what it
// found. It knows how an analyzer is set up and run; it knows nothing of
// printing or fixing.
package analyse

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/live"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/config"
	"github.com/lockvet/lockvet/internal/finding"
)

// A Setting is a flag of the analyzer and the value that it was given.
type Setting = config.Setting

// A Runner is an analysis, ready to be run.
type Runner struct {
	// Load is how the packages were loaded.
	Load load.Config
	// New returns a fresh analyzer for packages that can import a helper, nil for none.
	New func(helper *types.Func) *analysis.Analyzer
	// Settings are set on each fresh analyzer, in order.
	Settings []Setting
	// SafeIO says under which import path fixed code of a package reaches
	// package safeio.
	SafeIO func(*packages.Package) string
	// Looked, if not nil, is told of each named package what the checks looked at: its
	// candidates and what it does to files, where the settings ask for them.
	Looked func(*packages.Package, *analyzer.Result)
	// Cache, if not nil, has what earlier runs made of the packages. It must be nil where
	// Looked is not, where the waits are of interest, and where Load has an overlay.
	Cache *Cache
	// Helpers are what [Runner.FindHelpers] has found; fixes call them.
	Helpers []Helper
	// Uses, if not nil, is told of all packages.
	Uses *live.Uses
	// Progress, if not nil, is told how many packages are done, of how many. It is called
	// by several goroutines.
	Progress func(done, total int)
	// Weigh, if not nil, may change how much findings count.
	Weigh func([]*Found)
	// LeaveOut, if not nil, says which findings do not count.
	LeaveOut func(*Found) bool
}

// An Outcome is what an analysis has found in the named packages.
type Outcome struct {
	Found []*Found
	// GaveUp is what the analysis gave up, in the named packages and in those that they import.
	GaveUp []GaveUp
	// Waits are the calls that wait for a lock which the caller has, as problems of the functions that they call.
	Waits []load.Problem
	// Recalled counts the packages that the cache has.
	Recalled int
}

// Found is a finding and the package in which it was made.
type Found struct {
	*finding.Finding
	// Pkg has no syntax and no types. Its Fset knows the files of the package.
	Pkg *packages.Package
	// FixedIn is the package whose files its fix edits: Pkg, unless what has to change
	// stands in another.
	FixedIn *packages.Package
	// Decl is the declaration in which it stands, Other that without which nothing is
	// lost.
	Decl, Other live.Name
	// Fingerprint names the finding across runs. It stays the same when lines
	// move.
	Fingerprint string
}

// Position is where the finding starts, as a compiler would print it.
func (f *Found) Position() token.Position { return f.Pkg.Fset.Position(f.Pos) }

// Run analyses the packages, and the imported ones, and those of other modules of the
// same house, for what they tell of themselves: each by itself, so that the syntax of no more of them is in memory
// than is worked on. The findings, of the named ones, are in source order; a
// finding that two variants of a package share is returned once. What turns out
// not to compile is in [packages.Package.Errors]. Where the context of Load ends, its
// error is returned.
func (r Runner) Run(named, imported []*packages.Package) (*Outcome, error) {
	imported = slices.Concat(imported, slices.DeleteFunc(r.Load.House(named), load.Broken))
	u, err := r.begin(named, imported)
	if err != nil {
		return nil, err
	}
	pkgs := slices.Concat(named, imported)
	var done atomic.Int64
	inOrder(pkgs, runtime.GOMAXPROCS(0), func(p *packages.Package) {
		if r.Load.Ended() != nil {
			return
		}
		u.analyse(p)
		if n := done.Add(1); r.Progress != nil {
			r.Progress(int(n), len(pkgs))
		}
	})
	if err := r.Load.Ended(); err != nil {
		return nil, err
	}
	if r.Cache != nil {
		_ = r.Cache.files.Trim() // once a day, of what was not used for some
	}
	var all []*Found
	for _, p := range pkgs {
		if err := u.done[p.ID].failed; err != nil {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, err)
		}
		all = append(all, u.done[p.ID].found...)
	}
	u.sortOffers()
	u.fixElsewhere(all)
	u.lockTogether(all)
	u.refuseTested(all)
	if r.Weigh != nil {
		r.Weigh(all)
	}
	if r.LeaveOut != nil {
		all = slices.DeleteFunc(all, r.LeaveOut)
	}
	all = merge(all)
	r.fingerprint(all)
	return &Outcome{Found: all, GaveUp: u.allGaveUp(pkgs), Waits: u.waits, Recalled: u.recalled}, nil
}

// Asked tells whether the settings ask for a check.
func (r Runner) Asked() (func(check string) bool, error) {
	a, err := r.analyzer(variant{})
	return func(check string) bool { return analyzer.Asked(a, check) }, err
}

// analyzer is a fresh analyzer with its flags set.
func (r Runner) analyzer(v variant) (*analysis.Analyzer, error) {
	a := r.New(v.helper.function())
	for _, s := range append(slices.Clone(r.Settings), Setting{Name: "safeio", Value: v.safeio}) {
		if a.Flags.Lookup(s.Name) == nil {
			continue
		}
		if err := a.Flags.Set(s.Name, s.Value); err != nil {
			return nil, fmt.Errorf("-%s: %w", s.Name, err)
		}
	}
	return a, nil
}

// merge sorts findings and keeps one of those that are the same in two
// variants of a package: that of the package without its tests.
func merge(all []*Found) []*Found {
	slices.SortStableFunc(all, func(a, b *Found) int {
		pa, pb := a.Position(), b.Position()
		return cmp.Or(strings.Compare(pa.Filename, pb.Filename), pa.Offset-pb.Offset,
			strings.Compare(a.Category(), b.Category()), strings.Compare(a.Pkg.ForTest, b.Pkg.ForTest))
	})
	return slices.CompactFunc(all, func(a, b *Found) bool {
		return a.Position() == b.Position() && a.Category() == b.Category()
	})
}
