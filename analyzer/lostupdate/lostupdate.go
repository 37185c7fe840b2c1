package lostupdate

import (
	"cmp"
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// Doc is the source of doc.go, the only text of the check's documentation.
//
//go:embed doc.go
var Doc string

// Name is the name of the check.
const Name = "lostupdate"

// A site is where the two halves of a cycle come together. It is seen from the
// function that has both and from all that call it.
type site struct {
	f        *effects.Func // the function that has both; nil until it is met
	cycle    cycles.Cycle
	at       place
	contexts []context
	passed   *verdict.Rule // why it is not looked at, nil for nothing
}

// A context is a function that leads to a site.
type context struct {
	f      *effects.Func
	cycle  cycles.Cycle
	locked bool // a lock between processes is held from the load to the save, here or wherever f is called
}

// Root is the function.
func (k context) Root() *effects.Func { return k.f }

// A place are the calls that load and save.
type place struct{ load, save token.Pos }

type checker struct {
	p     *failure.Package
	x     *state.Index
	order []token.Pos
	sites map[token.Pos]*site // by the call that saves: it may have been loaded more than once
	locks *locks.Package      // nil until it is asked for
	saved map[*effects.Func][]*effects.Effect
}

// Run reports the cycles of the package that nothing protects.
func Run(p *effects.Package, x *state.Index) []*finding.Finding {
	c := newChecker(p, x)
	var all []told
	for _, save := range c.order {
		if t, found := c.look(c.sites[save]); found {
			all = append(all, t)
		}
	}
	shareWriters(all)
	slices.SortStableFunc(all, told.compare)
	var out []*finding.Finding
	reported, found := map[string]string{}, map[*site]*finding.Finding{}
	for _, t := range all {
		file, callee := t.s.key(), t.f.Elsewhere
		if by := cmp.Or(reported[file], reported[callee]); by != "" &&
			t.k.Says(oneCause, t.s.at.save, "a save in "+by+" is reported, and needs the same lock") {
			continue
		}
		reported[file], t.k.Reported, found[t.s] = t.s.f.Name(), true, t.f
		if callee != "" {
			reported[callee] = t.s.f.Name()
		}
		t.f.Remedy, t.f.NoFix = c.remedy(t.s, t.f.Variant)
		out = append(out, t.f)
	}
	c.together(found)
	return out
}

// look judges a site; it is no finding where a rule speaks against it.
func (c *checker) look(s *site) (told, bool) {
	k := c.x.Log().Candidate(Name, s.at.save, s.f.Name())
	if s.passed != nil {
		k.Says(s.passed, s.at.save, s.f.Name()+" comes to both")
		return told{}, false
	}
	excused := c.guardedBy(s, k.Says, lock)
	for _, r := range reasons {
		if excused && !c.x.Log().Keeps() {
			break
		}
		excused = r(c, s, k.Says) || excused // "lockvet why" lists all that speak
	}
	if excused {
		return told{}, false
	}
	f := c.judge(s, k)
	return told{s, k, f}, f != nil
}

// A told is a finding with its site and its candidate.
type told struct {
	s *site
	k *verdict.Candidate
	f *finding.Finding
}

// shareWriters takes back that nothing shows two writers of a file, where another update of the same file shows them.
func shareWriters(all []told) {
	met := map[string]bool{}
	for _, t := range all {
		if !t.k.Spoke(state.OneWriter) {
			met[t.s.cycle.File.PackageKey()] = true
		}
	}
	for _, t := range all {
		if file := t.s.cycle.File.PackageKey(); file != "" && met[file] {
			t.k.Withdraw(state.OneWriter)
		}
	}
}

// compare orders what is found: what a function of another package loads and saves comes last, and the surest
// first.
func (t told) compare(o told) int {
	return cmp.Or(strings.Compare(t.f.Elsewhere, o.f.Elsewhere), cmp.Compare(state.Of(o.k), state.Of(t.k)),
		strings.Compare(t.s.f.FullName(), o.s.f.FullName()))
}

// A listener is told that a rule speaks of a candidate, of what and where, and says whether
// that counts.
type listener func(r *verdict.Rule, pos token.Pos, text string) bool

// newChecker visits all functions of the package.
func newChecker(p *effects.Package, x *state.Index) *checker {
	c := &checker{p: failure.Of(p), x: x, sites: map[token.Pos]*site{}, saved: map[*effects.Func][]*effects.Effect{}}
	for _, f := range p.Funcs {
		for _, cy := range cycles.Of(p, f) {
			c.visit(f, cy)
		}
	}
	c.share()
	return c
}

// share gives all sites of one function and file the contexts of their callers: of several saves by the same
// helper, callers know the first and the last alone.
func (c *checker) share() {
	type key struct {
		f    *effects.Func
		file string
	}
	callers := map[key][]context{}
	c.order = slices.DeleteFunc(c.order, func(save token.Pos) bool { return c.sites[save].f == nil })
	for _, save := range c.order {
		s := c.sites[save]
		for _, k := range s.contexts {
			if k.f != s.f {
				callers[key{s.f, s.key()}] = append(callers[key{s.f, s.key()}], k)
			}
		}
	}
	for _, save := range c.order {
		s := c.sites[save]
		s.contexts = slices.DeleteFunc(s.contexts, func(k context) bool { return k.f != s.f })
		s.contexts = append(s.contexts, callers[key{s.f, s.key()}]...)
	}
}

// visit notes a cycle as f sees it.
func (c *checker) visit(f *effects.Func, cy cycles.Cycle) {
	at, own, ok := meet(cy)
	if !ok {
		return
	}
	s := c.sites[at.save]
	if s == nil {
		s = &site{}
		c.sites[at.save] = s
		c.order = append(c.order, at.save)
	}
	s.contexts = append(s.contexts, context{f, cy, own && lexicon.CallersLock(f.SSA.Name()) || c.locked(f, cy)})
	abroad := cy.Read.Foreign != "" && cy.Last().Foreign == cy.Read.Foreign
	if !own || s.f != nil && s.passed == nil || cy.OneCall() && !abroad {
		return
	}
	s.f, s.cycle, s.at, s.passed = f, cy, at, nil
	switch {
	case cy.OneCall() && cy.Read.Reported && c.x.Log().Asks(excludes.ReportedThere):
		s.passed = excludes.ReportedThere
	case !c.near(f, cy) && c.x.Log().Asks(excludes.Far):
		s.passed = excludes.Far
	}
}

// meet finds the calls that load and save in the innermost function that has
// both, and reports whether that is the one which sees the cycle.
func meet(cy cycles.Cycle) (at place, own, ok bool) {
	i := shared(cy)
	load, save := callAt(cy.Read, i), callAt(cy.Last(), i)
	if load == nil || save == nil {
		return place{}, false, false
	}
	return place{load.Pos(), save.Pos()}, i == 0, true
}

// near reports whether both halves are the function's own, or those of its helpers:
// what happens far below serves a purpose of its own. Methods of the type of which the
// function is one serve that of the function, however they are divided.
func (c *checker) near(f *effects.Func, cy cycles.Cycle) bool {
	typ := memory.RecvName(f.SSA)
	distance := func(via []*ast.CallExpr) int {
		n := 0
		for _, call := range via {
			if g := c.p.Callee(call); typ == "" || g == nil || memory.RecvName(g.SSA) != typ {
				n++
			}
		}
		return n
	}
	return distance(cy.Read.Via) <= maxLoad && distance(cy.Last().Via) <= maxSave
}

// shared is the number of calls that lead to both halves.
func shared(cy cycles.Cycle) int {
	read, last := cy.Read.Via, cy.Last().Via
	i := 0
	for i < len(read) && i < len(last) && read[i] == last[i] {
		i++
	}
	return i
}

// callAt is the call that leads to an effect, or has it, behind i others.
func callAt(e *effects.Effect, i int) *ast.CallExpr {
	if i < len(e.Via) {
		return e.Via[i]
	}
	return e.Call
}

// calls are the calls of the function that load and save.
func (s *site) calls() (load, save *ast.CallExpr) {
	return callAt(s.cycle.Read, 0), callAt(s.cycle.Last(), 0)
}

// The bounds of the calls between a function and a load or save that is near. Saves
// have one helper more, which replaces the file.
const (
	maxLoad = 2
	maxSave = 3
)

// judge is the finding of a cycle, nil where nothing speaks for a loss.
func (c *checker) judge(s *site, k *verdict.Candidate) *finding.Finding {
	last, at := s.cycle.Last(), s.at
	reason := loadedObject
	if s.cycle.Read.Kind == effects.Read {
		reason = derived
	}
	if !k.Says(reason, at.load, "what is saved comes from here") {
		return nil
	}
	v := c.x.Judge(k, s.f, s.cycle.Write, s.cycle.File, state.WriteContext{
		Published: s.cycle.Rename != nil, Grown: s.cycle.Grows(), Updated: s.cycle.Read.Kind == effects.Read,
	})
	if !v.State {
		return nil
	}
	variant := c.variant(s, k.Says)
	if variant == "" {
		return nil
	}
	k.Is(variant)
	f := &finding.Finding{
		Check: Name, Variant: variant, Pos: at.save, End: last.Here().End(), Func: s.f.Name(), Evidence: v.Evidence,
		Sentence: s.sentence(variant), Schedule: s.schedule(at),
	}
	if s.cycle.OneCall() {
		f.Elsewhere = s.cycle.Read.Foreign
	}
	c.x.Weigh(k, f, v.Proven, s.f, s.cycle.Write, s.cycle.File, true)
	return f
}

func (s *site) sentence(variant string) string {
	path, fn := name(s.cycle.File), s.f.Name()
	lost := "what another process saves in between is lost"
	if s.cycle.OneCall() {
		return fmt.Sprintf("%s has %s load %s, change it and save it with no lock: %s",
			fn, pathexpr.ShortName(s.cycle.Read.Foreign), path, lost)
	}
	switch variant {
	case "late":
		return fmt.Sprintf("%s takes the lock of %s only after it has loaded it, and saves what it loaded: %s", fn, path, lost)
	case "split":
		return fmt.Sprintf("%s releases the lock of %s between loading and saving it: what another saves in between is lost", fn, path)
	case "mutex":
		return fmt.Sprintf("%s loads %s, changes it and saves it under a mutex of this process alone: %s", fn, path, lost)
	}
	return fmt.Sprintf("%s loads %s, changes it and saves it with no lock: %s", fn, path, lost)
}

// key is the function and the file, as messages name them.
func (s *site) key() string { return s.f.Name() + " " + name(s.cycle.File) }

// name is how a message calls the file.
func name(path *pathexpr.Term) string { return path.Named("the file") }

func (s *site) schedule(at place) []finding.Step {
	path := name(s.cycle.File)
	return []finding.Step{
		{Actor: "process A", Pos: at.load, Does: "loads " + path},
		{Actor: "process B", Pos: at.load, Does: "loads the same content"},
		{Actor: "process B", Pos: at.save, Does: "saves it with its change", File: "the change of B", Acts: []finding.Act{finding.Saves}},
		{Actor: "process A", Pos: at.save, Does: "saves what it loaded with its own change", File: "the change of A, and not that of B"},
	}
}
