package analyse

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/live"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/load"
	"github.com/lockvet/lockvet/internal/facts"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
)

// A run is an analysis under way. Of a package that was analysed it keeps what
// was found, and what the package tells of itself.
type run struct {
	Runner
	checker   *load.Checker
	analyzers map[variant]*analysis.Analyzer
	named     map[string]bool // IDs

	mu     sync.Mutex
	done   map[string]made     // what is known of the packages, by ID
	offers map[string][]*Found // fixes for findings elsewhere and objections, by place, once all packages are analysed
	waits  []load.Problem

	digests   map[string]digest // by ID, of these packages and all that they import
	unsettled atomic.Bool       // files change, or packages fail: nothing more is kept
	recalled  int
}

// A variant is what analyzers differ in: the import path of safeio, and the helper that a package
// can import.
type variant struct {
	safeio string
	helper replacer
}

func (r Runner) variantFor(p *packages.Package) variant { return variant{r.SafeIO(p), r.helperFor(p)} }

// begin makes the analyzers that packages need.
func (r Runner) begin(named, imported []*packages.Package) (*run, error) {
	u := &run{
		Runner:    r,
		checker:   r.Load.NewChecker(),
		analyzers: make(map[variant]*analysis.Analyzer),
		named:     make(map[string]bool),
		done:      make(map[string]made),
		offers:    make(map[string][]*Found),
	}
	for _, p := range named {
		u.named[p.ID] = true
	}
	pkgs := slices.Concat(named, imported)
	for _, p := range pkgs {
		v := r.variantFor(p)
		if u.analyzers[v] != nil {
			continue
		}
		a, err := r.analyzer(v)
		if err != nil {
			return nil, err
		}
		u.analyzers[v] = a
		facts.Register(a.FactTypes)
	}
	if u.Cache != nil {
		u.digests = u.digest(pkgs)
	}
	return u, nil
}

// analyse gathers what is to be said of one package. Those that it imports were
// analysed before.
func (u *run) analyse(p *packages.Package) {
	m := u.recall(p)
	recalled := m != nil
	if !recalled {
		var err error
		if m, err = u.make(p); err != nil || m == nil {
			u.fail(p, err)
			return
		}
		u.remember(p, m)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if recalled {
		u.recalled++
	}
	u.done[p.ID] = *m
}

// sortOffers lists the offers by place, in the order of the packages' IDs: packages are analysed
// side by side, and which of them was done first must not show in what is said.
func (u *run) sortOffers() {
	for _, id := range slices.Sorted(maps.Keys(u.done)) {
		for _, f := range u.done[id].offers {
			u.offers[f.Elsewhere] = append(u.offers[f.Elsewhere], f)
		}
	}
}

// made is what an analysis makes of a package. Of one that only is to tell of itself
// nothing is found.
type made struct {
	encoded       []byte // the facts
	facts         facts.Set
	found, offers []*Found
	gaveUp        []flow.GaveUp
	replaces      []string // the names of the functions that may be helpers
	failed        error
}

// make type-checks a package and analyses it. It returns nil for one that does not
// compile, which has what is wrong with it in its errors.
func (u *run) make(p *packages.Package) (*made, error) {
	checked := u.checker.Check(p)
	own := p.Module == nil || p.Module.Main
	switch {
	case len(checked.Errors) > 0 && own:
		p.Errors, p.IllTyped = checked.Errors, true
		return nil, nil
	case len(checked.Errors) > 0: // the go command has compiled it, and nobody here can change it
		return nil, nil
	case u.Uses != nil && own:
		u.Uses.Add(checked)
	}
	result, told, err := u.pass(checked, u.variantFor(p), u.knownTo(p))
	if err != nil {
		return nil, err
	}
	m := made{gaveUp: result.GaveUp, replaces: result.Replaces}
	if m.encoded, err = told.Encode(); err != nil {
		return nil, err
	}
	// They have nothing in common with the package that they were learned in, as where go vet hands them on.
	if m.facts = facts.Decode(m.encoded); !u.named[p.ID] {
		return &m, nil
	}
	var offers []*finding.Finding
	if result.Offers != nil {
		if offers, err = result.Offers(); err != nil {
			return nil, err
		}
	}
	m.found, m.offers = keep(p, checked, result.Findings), keep(p, checked, offers)
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, w := range result.Waits {
		u.waits = append(u.waits, load.Problem{
			ID: p.ID, Path: w.Callee.Pkg().Path(), Pos: checked.Fset.Position(w.Callee.Pos()).String(),
			Msg: fmt.Sprintf("%s of %s calls it, and has %s already", w.Func, load.BasePath(p), w.Path),
		})
	}
	if u.Looked != nil {
		u.Looked(checked, result)
	}
	return &m, nil
}

// fail notes that nothing is known of a package, and so less of those that import it.
func (u *run) fail(p *packages.Package, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.done[p.ID] = made{failed: err}
	u.unsettled.Store(true)
}

// pass runs the analyzer over a package that was type-checked. The checker of
// x/tools has no eyes for an overlay, and has facts of packages that are in memory
// together with this one only.
func (u *run) pass(p *packages.Package, v variant, known func(path string) facts.Set) (*analyzer.Result, facts.Set, error) {
	a := *u.analyzers[v]
	start := a.Run
	var own facts.Set
	a.Run = func(pass *analysis.Pass) (any, error) {
		pass.ReadFile = u.Load.ReadFile
		own = facts.Connect(pass, known)
		search := pass.ImportObjectFact // in the scope of a package, to which nothing may be added meanwhile
		pass.ImportObjectFact = func(obj types.Object, fact analysis.Fact) (found bool) {
			u.checker.Reading(func() { found = search(obj, fact) })
			return found
		}
		return start(pass)
	}
	p.Imports = nil
	if m := p.Module; m != nil && !m.Main { // it is of the house, and analysed as the main modules are
		of := *m
		of.Version = ""
		p.Module = &of
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{&a}, []*packages.Package{p}, nil)
	if err != nil {
		return nil, facts.Set{}, err
	}
	act := graph.Roots[0]
	if act.Err != nil {
		return nil, facts.Set{}, act.Err
	}
	return act.Result.(*analyzer.Result), own, nil
}

// knownTo finds what a package may know of others, by their import paths: where
// tests replace what it imports, of the replacement.
func (u *run) knownTo(p *packages.Package) func(path string) facts.Set {
	ids := make(map[string]string)
	for _, q := range load.Replacements(p) {
		ids[q.PkgPath] = q.ID
	}
	return func(path string) facts.Set {
		u.mu.Lock()
		defer u.mu.Unlock()
		return u.done[cmp.Or(ids[path], path)].facts
	}
}

// fixElsewhere gives the findings whose cause stands in another named package the
// fix that was planned there, unless somebody objects to it.
func (u *run) fixElsewhere(all []*Found) {
	for _, f := range all {
		offer := u.offer(f)
		if offer == nil || f.Fix != nil {
			continue
		}
		fixed := *f.Finding
		switch {
		case offer.Fix == nil && offer.Func != "":
			fixed.NoFix = "in " + offer.Pkg.Name + "." + offer.Func + ": " + offer.NoFix
		case offer.Fix == nil:
			fixed.NoFix = "package " + offer.Pkg.Name + " would notice: " + offer.NoFix
		default:
			fix := *offer.Fix
			fix.Message += " in " + offer.Pkg.Name + "." + offer.Func
			fixed.Fix, fixed.NoFix, fixed.Locks, fixed.Doubt, f.FixedIn = &fix, "", offer.Locks, offer.Doubt, offer.Pkg
		}
		f.Finding = &fixed
	}
}

// lockTogether takes the fixes that lock a file from the findings of a package where another
// one saves the file and none of its fixes does so under the lock.
func (u *run) lockTogether(all []*Found) {
	for again := true; again; {
		again = false
		locked := make(map[[2]string]bool)
		for _, f := range all {
			if f.Saves != "" && f.Fix != nil {
				locked[[2]string{f.Pkg.PkgPath, f.Saves}] = true
			}
		}
		for _, f := range all {
			if f.Saves == "" || f.Fix == nil {
				continue
			}
			for _, o := range u.offers[finding.SavedAs(f.Saves)] {
				if o.Pkg.PkgPath == f.Pkg.PkgPath || locked[[2]string{o.Pkg.PkgPath, f.Saves}] {
					continue
				}
				without := *f.Finding
				without.Fix = nil
				without.NoFix = fmt.Sprintf("%s.%s saves the file, too, at %s, and would not have the lock: %s",
					o.Pkg.Name, o.Func, finding.At(o.Pkg.Fset, o.Pos), o.NoFix)
				f.Finding, again = &without, true
				break
			}
		}
	}
}

// offer is the fix of a finding in another place, or what is said against it: nil where there
// is none, since nothing is to be said against what nobody plans.
func (u *run) offer(f *Found) *Found {
	switch {
	case len(f.Heard) > 0:
		return u.heard(f)
	case f.Elsewhere == "":
		return nil
	}
	offers, fixed := u.offers[f.Elsewhere], func(o *Found) bool { return o.Fix != nil }
	refused := func(o *Found) bool { return o.Func != "" && !fixed(o) }
	if !slices.ContainsFunc(offers, fixed) {
		if i := slices.IndexFunc(offers, refused); i >= 0 {
			return offers[i]
		}
		return nil
	}
	return slices.MinFunc(slices.DeleteFunc(slices.Clone(offers), refused), func(a, b *Found) int {
		return cmp.Or(strings.Compare(b.NoFix, a.NoFix), strings.Compare(a.Pkg.ID, b.Pkg.ID))
	})
}

// heard is the fix of a finding that makes functions fail, or what a caller in another package
// says against it; nil where the callers are not known, or one says nothing.
func (u *run) heard(f *Found) *Found {
	called, places := false, slices.Clone(f.Heard)
	for i := 0; i < len(places); i++ {
		asked := map[string]bool{f.Pkg.PkgPath: true}
		for _, o := range u.offers[places[i]] {
			switch {
			case o.Pkg.PkgPath == f.Pkg.PkgPath:
				continue
			case o.NoFix != "":
				return o
			}
			asked[o.Pkg.PkgPath] = true
			for _, next := range o.Heard {
				if !slices.Contains(places, next) {
					places = append(places, next)
				}
			}
		}
		if u.Uses == nil || slices.ContainsFunc(u.Uses.Users(finding.Failing(places[i])), func(pkg string) bool { return !asked[pkg] }) {
			return nil
		}
		called = called || len(asked) > 1
	}
	if i := slices.IndexFunc(u.offers[f.Elsewhere], func(o *Found) bool { return o.Fix != nil && o.Pos == f.Pos }); called && i >= 0 {
		return u.offers[f.Elsewhere][i]
	}
	return nil
}

// keep makes findings of a package that hold on to nothing of it but the lines of
// its files.
func keep(p, checked *packages.Package, found []*finding.Finding) []*Found {
	if len(found) == 0 {
		return nil
	}
	of := *p
	of.Fset = token.NewFileSet()
	for _, f := range checked.Syntax {
		of.Fset.AddExistingFiles(checked.Fset.File(f.FileStart))
	}
	list, places := make([]*Found, len(found)), live.PlacesOf(checked)
	for i, f := range found {
		if f.Fix != nil { // what cgo makes of a source is parsed, and the source edited
			for _, e := range f.Fix.TextEdits {
				if of.Fset.File(e.Pos) == nil {
					of.Fset.AddExistingFiles(checked.Fset.File(e.Pos))
				}
			}
		}
		kept := *f
		kept.Remedy = nil
		list[i] = &Found{Finding: &kept, Pkg: &of, FixedIn: &of, Decl: places.At(f.Pos), Other: places.At(f.Other)}
	}
	return list
}
