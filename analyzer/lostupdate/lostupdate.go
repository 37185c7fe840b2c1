package lostupdate

import (
	"cmp"
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
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
	passed   *verdict.Rule // why no function was taken for the one that has both; nil for none
	by       *effects.Func // the function of which it says that
	ways     *ways         // see waysTo
}

// A context is a function that leads to a site.
type context struct {
	f               *effects.Func
	cycle           cycles.Cycle
	fileLockHeld    bool // a lock of the file is held from the load to the save
	lockNamed       bool // one call does both, of a function that is named for a lock
	anyLockHeld     bool // a lock between processes is held from the load to the save, of the file or not
	unrelatedLock   bool // the function has both halves, and no lock that can be one for the file
	calledLocked    bool // no lock is held here, but every caller holds one
	lockPathUnknown bool // a lock is held whose path is not known
}

// Root is the function.
func (k context) Root() *effects.Func { return k.f }

// locked reports whether a lock between processes is held from the load to the save.
func (k context) locked() bool { return k.fileLockHeld || k.lockNamed }

// An owner is what a mutex that is held belongs to; of several, what comes last here.
type owner int

const (
	nobody owner = iota
	anObject
	thePackage // it is a package variable
	unknown    // it is no mutex of package sync: it may well be a lock between processes
)

// ofSync reports whether a lock is of package sync, or a channel.
func ofSync(t types.Type) bool {
	if t == nil {
		return false
	}
	named, ok := types.Unalias(known.Pointee(t)).(*types.Named)
	if !ok {
		_, channel := t.Underlying().(*types.Chan)
		return channel
	}
	return known.Path(named.Obj()) == "sync"
}

// A place are the calls that load and save.
type place struct{ load, save token.Pos }

type checker struct {
	p     *failure.Package
	x     *evidence.Index
	order []token.Pos
	sites map[token.Pos]*site // by the call that saves: it may have been loaded more than once
	locks *locks.Package      // nil until it is asked for

	byFile    map[string][]*site                  // see ofFile
	saved     map[*effects.Func][]*effects.Effect // see saves
	unplanned map[*finding.Finding]func()         // see plan
}

// Run reports the cycles of the package that nothing protects.
func Run(p *effects.Package, x *evidence.Index) []*finding.Finding {
	c := newChecker(p, x)
	var out []*finding.Finding
	var own []told
	said, found, calls := map[string]bool{}, map[*site]*finding.Finding{}, map[string][]told{}
	report := func(t told) {
		c.plan(t.f)
		said[t.s.key()], t.k.Reported, found[t.s] = true, true, t.f
		out = append(out, t.f)
	}
	for _, save := range c.order {
		s := c.sites[save]
		if s.f == nil {
			if s.passed != nil {
				c.candidateAt(save, s.by).Says(s.passed, save, s.by.Name()+" comes to both")
			}
			continue
		}
		k := c.candidateAt(save, s.f)
		locked := c.lockedBy(s, k.Says)
		if locked && !x.Log().Keeps() {
			continue
		}
		if silenced := c.silenced(s, k.Says); locked || silenced { // both are asked: "lockvet why" lists all
			continue
		}
		switch f := c.judge(s, k); {
		case f == nil:
		case s.cycle.OneCall():
			calls[f.Elsewhere] = append(calls[f.Elsewhere], told{s, k, f})
		default:
			own = append(own, told{s, k, f})
		}
	}
	shareWriters(own)
	slices.SortStableFunc(own, surer)
	for _, t := range own {
		if !said[t.s.key()] || !t.k.Says(oneCause, t.s.at.save, "another save of the same file in "+t.s.f.Name()+" is reported") {
			report(t)
		}
	}
	for _, callee := range slices.Sorted(maps.Keys(calls)) {
		list := slices.DeleteFunc(calls[callee], func(t told) bool {
			return said[t.s.key()] &&
				t.k.Says(oneCause, t.s.at.save, t.s.f.Name()+" loads and saves the same file itself, which is reported")
		})
		for _, t := range oneOf(list) {
			report(t)
		}
	}
	c.together(found)
	return out
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
		if !t.k.Spoke(evidence.OneWriter) {
			met[t.s.cycle.File.PackageKey()] = true
		}
	}
	for _, t := range all {
		if file := t.s.cycle.File.PackageKey(); file != "" && met[file] {
			t.k.Withdraw(evidence.OneWriter)
		}
	}
}

// surer orders what is found by the score, the surest first.
func surer(a, b told) int { return cmp.Compare(state.Of(b.k), state.Of(a.k)) }

// oneOf leaves one of the findings that a single function of another package is the cause of, since that
// is the place which lacks the lock: the surest, and of those the first by the name of its function.
func oneOf(all []told) []told {
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b told) int {
		return cmp.Or(surer(a, b), strings.Compare(a.s.f.FullName(), b.s.f.FullName()))
	})
	left := slices.DeleteFunc(all[1:], func(t told) bool {
		return t.k.Says(oneCause, t.s.at.save, all[0].s.f.Name()+" is reported, which calls the same function")
	})
	return all[:1+len(left)]
}

// candidateAt is the candidate of the check at a place of a function.
func (c *checker) candidateAt(pos token.Pos, f *effects.Func) *verdict.Candidate {
	return c.x.Log().Candidate(Name, pos, f.Name())
}

// A listener is told that a rule speaks of a candidate, of what and where, and says whether
// that counts.
type listener func(r *verdict.Rule, pos token.Pos, text string) bool

// newChecker visits all functions of the package.
func newChecker(p *effects.Package, x *evidence.Index) *checker {
	c := &checker{
		p: failure.Of(p), x: x, sites: map[token.Pos]*site{},
		saved:     map[*effects.Func][]*effects.Effect{},
		unplanned: map[*finding.Finding]func(){},
	}
	for _, f := range p.Funcs {
		for _, cy := range cycles.Of(p, f) {
			c.visit(f, cy)
		}
	}
	c.share()
	return c
}

// share gives the sites between others of one function and file the contexts that those have: of
// several saves by the same helper, callers know the first and the last alone.
func (c *checker) share() {
	twins := map[string][]*site{}
	for _, save := range c.order {
		if s := c.sites[save]; s.f != nil {
			twins[s.key()] = append(twins[s.key()], s)
		}
	}
	for _, list := range twins {
		known := make([][]context, len(list))
		for i, s := range list {
			for _, o := range list {
				for _, k := range o.contexts {
					if o.f == s.f && k.f != s.f && !slices.ContainsFunc(s.contexts, func(own context) bool { return own.f == k.f }) {
						known[i] = append(known[i], k)
					}
				}
			}
		}
		for i, s := range list {
			s.contexts = append(s.contexts, known[i]...)
		}
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
	l := cycles.Spanning(c.p.Package, f, effects.Lock, cy.Read, cy.Last(), cy.File)
	its := l != nil && (own || effects.Beside(l, cy.File))
	strange := l == nil && own
	if l == nil {
		// The lock of whoever comes here for the whole program may stand anywhere.
		l = cycles.Spanning(c.p.Package, f, effects.Lock, cy.Read, cy.Last(), nil)
	}
	s.contexts = append(s.contexts, context{
		f: f, cycle: cy, fileLockHeld: its, lockNamed: lockNamed(cy), anyLockHeld: l != nil, unrelatedLock: strange,
		lockPathUnknown: l != nil && l.Path == nil,
		calledLocked:    l == nil && c.lockedAbove(f),
	})
	if !own || s.f != nil || cy.OneCall() && !elsewhere(cy) {
		return
	}
	switch {
	case cy.OneCall() && cy.Read.Reported && c.x.Log().Asks(excludes.ReportedThere):
		s.passed, s.by = excludes.ReportedThere, f
	case !c.near(f, cy) && c.x.Log().Asks(excludes.Far):
		s.passed, s.by = excludes.Far, f
	default:
		s.f, s.cycle, s.at = f, cy, at
	}
}

// elsewhere reports whether a function of another package has both halves.
func elsewhere(cy cycles.Cycle) bool {
	return cy.Read.Foreign != "" && cy.Last().Foreign == cy.Read.Foreign
}

// mutex is the mutex that is held in a context from the load to the save.
func (c *checker) mutex(k context) owner {
	read, last := k.cycle.Read, k.cycle.Last()
	if l := cycles.Spanning(c.p.Package, k.f, effects.Acquire, read, last, nil); l != nil {
		if l.Handle.Kind == pathexpr.Global {
			return thePackage
		}
		return anObject
	}
	if c.locks == nil {
		c.locks = locks.Of(c.p.Package)
	}
	f := c.locks.Of(k.f.SSA)
	if f == nil {
		return nobody
	}
	late := f.Held(last.At)
	whose := nobody
	for lock, mode := range f.Held(read.At) {
		if (mode == locks.Writing || mode == locks.Mixed) && !ofSync(c.locks.TypeOf(lock)) {
			return unknown
		}
		if mode == locks.Writing && late[lock] == locks.Writing {
			whose = max(whose, anObject)
		}
	}
	return whose
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

// lockNamed reports whether a call of a function that is named for a lock has both
// halves.
func lockNamed(cy cycles.Cycle) bool {
	call := cy.Last().Here()
	if !cy.OneCall() || call == nil {
		return false
	}
	var name string
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		name = fun.Sel.Name
	}
	return lexicon.NamesLock(name)
}

// lockedAbove reports whether every way into the function comes by a caller that
// has a lock between processes. What such a caller does besides may be too much to
// be a context: a daemon locks the place where it works, and runs for ever.
func (c *checker) lockedAbove(f *effects.Func) bool {
	return c.p.Callers().Always(f.SSA, func(call ssa.CallInstruction) bool {
		g := c.p.Of(call.Parent())
		return g != nil && cycles.LockedAt(c.p.Package, g, call)
	})
}

// ofFile are the sites that load and save the file of a site, none where that has no name.
func (c *checker) ofFile(s *site) []*site {
	if c.byFile == nil {
		c.byFile = map[string][]*site{}
		for _, save := range c.order {
			if o := c.sites[save]; o.f != nil {
				key := o.cycle.File.PackageKey()
				c.byFile[key] = append(c.byFile[key], o)
			}
		}
		delete(c.byFile, "")
	}
	return c.byFile[s.cycle.File.PackageKey()]
}

// another reports whether something else of the package loads and saves the same file.
func (c *checker) another(s *site) bool {
	return slices.ContainsFunc(c.ofFile(s), func(o *site) bool { return o.f != s.f })
}

// lockedBy reports whether a lock is held in every context that no other one contains, or in
// those that it leads to.
func (c *checker) lockedBy(s *site, says listener) bool {
	return c.guardedBy(s, says, c.lockRules(s))
}

// A contextRule is a rule that speaks of a context.
type contextRule struct {
	*verdict.Rule
	holds func(context) bool
	text  string // what it sees there
}

// lockRules are those that see a lock in a context of a site.
func (c *checker) lockRules(s *site) []contextRule {
	common := sync.OnceValue(func() bool { return c.another(s) })
	return []contextRule{
		{lockHeld, context.locked, "has a lock of the file from the load to the save, or calls a function that is named for a lock"},
		{otherLock, func(k context) bool {
			return k.anyLockHeld && (!k.unrelatedLock || common()) || k.calledLocked
		}, "has a lock from the load to the save, or is called only where one is held"},
	}
}

// guardedBy is guarded by any of the rules.
func (c *checker) guardedBy(s *site, says listener, rules []contextRule) bool {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r contextRule) bool { return !c.x.Log().Asks(r.Rule) })
	if !c.guarded(s, func(k context) bool {
		return slices.ContainsFunc(rules, func(r contextRule) bool { return r.holds(k) })
	}) {
		return false
	}
	for _, k := range s.contexts {
		for _, r := range rules {
			if r.holds(k) {
				says(r.Rule, k.f.SSA.Pos(), k.f.Name()+" "+r.text)
				break
			}
		}
	}
	return true
}

// guarded reports whether every context that no other one contains holds a lock,
// or leads to those alone that do: who calls a function does not see that it takes
// the lock anew each time round.
func (c *checker) guarded(s *site, holds func(context) bool) bool {
	w := s.waysTo()
	open := func(f *effects.Func) bool {
		return slices.ContainsFunc(w.contexts[f], func(k context) bool { return !holds(k) })
	}
	return !flow.Any(c.p.Flow.Budget,
		func(f *effects.Func) bool { return open(f) && len(w.inner[f.Component]) == 0 },
		func(f *effects.Func) []*effects.Func {
			if !open(f) {
				return nil
			}
			return w.inner[f.Component]
		}, w.outer...)
}

// Ways are how the functions of the contexts of a site lead to each other.
type ways struct {
	contexts map[*effects.Func][]context
	outer    []*effects.Func         // those that no other one leads to
	inner    map[int][]*effects.Func // by component: those that it leads to, and that do not lead back
}

// waysTo are those of the site, when all its contexts are known.
func (s *site) waysTo() *ways {
	if s.ways != nil {
		return s.ways
	}
	roots := evidence.Roots(s.contexts)
	s.ways = &ways{contexts: map[*effects.Func][]context{}, inner: map[int][]*effects.Func{}}
	for _, k := range s.contexts {
		s.ways.contexts[k.f] = append(s.ways.contexts[k.f], k)
		if len(s.ways.contexts[k.f]) > 1 {
			continue
		}
		callers := k.f.CallersAmong(roots)
		if len(callers) == 0 {
			s.ways.outer = append(s.ways.outer, k.f)
		}
		for _, g := range callers {
			s.ways.inner[g.Component] = append(s.ways.inner[g.Component], k.f)
		}
	}
	return s.ways
}

// judge is the finding of a cycle, nil where nothing speaks for a loss.
func (c *checker) judge(s *site, k *verdict.Candidate) *finding.Finding {
	last, at := s.cycle.Last(), s.at
	if what := derivation(s.cycle); !k.Says(what, at.load, "what is saved comes from here") {
		return nil
	}
	v, ev := c.x.Judge(k, s.f, s.cycle.Write, s.cycle.File, evidence.WriteContext{
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
		Check: Name, Variant: variant, Pos: at.save, End: last.Here().End(), Func: s.f.Name(), Evidence: ev,
		Sentence: s.sentence(variant), Schedule: s.schedule(at),
	}
	c.x.Weigh(k, f, v.Proven, s.f, s.cycle.Write, s.cycle.File, true)
	another := c.guardedBy(s, k.Says, ofOthers)
	if s.cycle.OneCall() {
		f.Elsewhere, f.NoFix = s.cycle.Read.Foreign, "both stand in another package, in "+pathexpr.ShortName(s.cycle.Read.Foreign)+"()"
		return f
	}
	if w := s.cycle.Write; known.OnFileSystem(w.Foreign) {
		f.NoFix = pathexpr.ShortName(w.Foreign) + "() writes into the file system that it is given, and where that " +
			"has the file a lock beside it does not tell"
		return f
	}
	if another {
		f.NoFix = "a lock would leave its file in the directory of another program"
		return f
	}
	c.unplanned[f] = func() { f.Remedy, f.NoFix = c.remedy(s, variant) }
	return f
}

// plan says how a finding is fixed. It is asked for those alone that are reported: a function that
// loads and saves one file a hundred times has a hundred findings, of which one is told.
func (c *checker) plan(f *finding.Finding) {
	if plan := c.unplanned[f]; plan != nil {
		delete(c.unplanned, f)
		plan()
	}
}

// derivation is the rule that speaks for what is saved being what was loaded.
func derivation(cy cycles.Cycle) *verdict.Rule {
	if cy.Read.Kind == effects.Read {
		return derived
	}
	return loadedObject
}

// silenced reports whether one of the reasons says that nothing is lost here.
func (c *checker) silenced(s *site, says listener) bool {
	spoke := false
	for _, r := range reasons {
		if r(c, s, says) {
			if !c.x.Log().Keeps() {
				return true
			}
			spoke = true
		}
	}
	return spoke
}

// variant says what is wrong with the locks around a cycle, empty for nothing.
func (c *checker) variant(s *site, says listener) string {
	all := nobody
	for _, k := range s.contexts {
		all = max(all, c.mutex(k))
	}
	hasMutex := func(k context) bool { return c.mutex(k) != nobody }
	rules := append(c.lockRules(s), contextRule{mutexHeld, hasMutex, "has a mutex from the load to the save"})
	if c.guardedBy(s, says, rules) {
		file := s.cycle.File
		switch {
		case all == unknown && says(privateMutex, s.at.load, "the lock that is held here is none of package sync"):
			return ""
		case inSharedPlace(c.p, file) && says(sharedPlace, s.at.load, "every process of the user finds "+name(file)+" there"):
		case all == thePackage && !ofObject(file) && says(packageMutex, s.at.load, "the mutex is a package variable, and an argument names "+name(file)):
		case says(privateMutex, s.at.load, "nothing says that another process has "+name(file)):
			return ""
		}
		return "mutex"
	}
	last := s.cycle.Last()
	for _, kind := range []effects.Kind{effects.Lock, effects.Acquire} {
		before, after := c.locksOf(s, kind)
		switch {
		case after == nil:
		case before != nil && memory.SameFile(before.Path, after.Path):
			return "split"
		case before == nil && kind == effects.Lock && (effects.Beside(after, s.cycle.File) || after.Here() == last.Here()):
			return "late"
		}
	}
	return "unlocked"
}

// ofObject reports whether an object or a variable of the program has a part of the path, so
// that the mutex may belong to what the file does.
func ofObject(file *pathexpr.Term) bool {
	return file.Expanded().Any(func(t *pathexpr.Term) bool {
		return t.Kind == pathexpr.Field || t.Kind == pathexpr.Global || t.Kind == pathexpr.Unknown
	})
}

func (s *site) sentence(variant string) string {
	path, fn := name(s.cycle.File), s.f.Name()
	if s.cycle.OneCall() {
		return s.called()
	}
	lost := "what another process saves in between is lost"
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

// called is the sentence of a function that another one of another package loads and saves for.
func (s *site) called() string {
	return fmt.Sprintf("%s has %s load %s, change it and save it with no lock: what another process saves in between is lost",
		s.f.Name(), pathexpr.ShortName(s.cycle.Read.Foreign), name(s.cycle.File))
}

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
