package latelock

import (
	"cmp"
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// Doc is the source of doc.go, the only text of the check's documentation.
//
//go:embed doc.go
var Doc string

// Name is the name of the check.
const Name = "latelock"

// A pair is a place and a lock that may guard it; there is one for any names.
type pair struct {
	names
	uses []*use
}

// The names of a pair are from the innermost struct that holds the lock: "jobs of
// Service, mu". Of package variables there is no struct.
type names struct {
	owner string
	path  string
	lock  string
}

// A use is an access as the function sees it that decides whether the lock is
// held.
type use struct {
	*locks.Access
	f    *locks.Func
	lock locks.Ref
	mode locks.Mode
	// says is the rule by which its function has the lock, or runs before it is needed; nil for
	// none.
	says *verdict.Rule

	promise  *verdict.Rule // what [promised] has answered
	answered bool
}

// Run reports changes of guarded memory outside of the lock, in functions that
// take it.
func Run(p *effects.Package, x *evidence.Index) []*finding.Finding {
	doubles := doubleChecks(p, x)
	if len(p.Beside) == 0 && !slices.ContainsFunc(p.Funcs, acts) || !locks.Named(p) && !hasLocalLocks(p) {
		return doubles
	}
	c := &checker{
		p: p, log: x.Log(), locks: locks.Of(p), told: map[*ssa.Function]*verdict.Rule{}, types: map[types.Type]string{},
		ways: map[place][]waymark{}, spots: map[*locks.Spot][]waymark{}, vars: map[locks.Ref][]waymark{}, exempt: map[types.Type]bool{},
		pairs: map[names]*pair{}, declared: map[*types.Var]declaration{}, headed: map[*types.Var]string{},
		parting: map[*ssa.Function][]ssa.Instruction{},
	}
	c.globals = c.locks.Globals()
	for fields := range structs(p) {
		c.readComments(fields)
	}
	for v, comments := range varComments(p) {
		if d, ok := declares(comments); ok {
			c.declared[v] = d
		}
	}
	n := 0
	for _, f := range c.locks.Funcs {
		n += len(f.Accesses)
	}
	c.decided, c.lists = make([]int32, n), make([][]*pair, nobodys+1)
	for _, f := range c.locks.Funcs {
		for _, acc := range f.Accesses {
			c.collect(f, acc)
		}
	}
	r := &report{log: c.log}
	for _, k := range c.order {
		c.judge(k, r)
	}
	c.besideGoroutines(r)
	return append(doubles, slices.DeleteFunc(r.findings(), func(f *finding.Finding) bool {
		k := r.candidate(f)
		if x.Generated(f.Pos) && k.Says(generated, f.Pos, "") {
			return true
		}
		k.Reported = true
		return false
	})...)
}

type checker struct {
	p       *effects.Package
	log     *verdict.Log
	locks   *locks.Package
	pairs   map[names]*pair
	order   []*pair                         // those with uses
	decided []int32                         // of the accesses by their index, as an index into lists; 0 for those to come
	lists   [][]*pair                       // what a callee has to answer for
	globals []*ssa.Global                   // the package variables that are locks
	told    map[*ssa.Function]*verdict.Rule // see says
	types   map[types.Type]string           // see typeName
	ways    map[place][]waymark             // see onTheWay
	spots   map[*locks.Spot][]waymark       // see guards
	vars    map[locks.Ref][]waymark         // see besides
	exempt  map[types.Type]bool             // see guardsItself
	list    []*pair                         // space for answer
	stops   []waymark                       // space for onTheWay
	space   []use                           // for those that are kept
	// declared are the fields and variables of which a comment says what guards
	// them.
	declared map[*types.Var]declaration
	taken    map[names]map[*ssa.Function]bool    // see takers
	parting  map[*ssa.Function][]ssa.Instruction // see parted
	// headed are the fields that stand in one group with a lock, which is the first of it.
	headed map[*types.Var]string
}

// A declaration is a comment that says which lock guards a field or variable.
type declaration struct {
	lock string
	pos  token.Pos
	all  bool // it stands at the lock, and may say too much of one field
}

// declares reads the comments of a field: "guarded by mu", "+checklocks:mu".
func declares(comments []*ast.CommentGroup) (declaration, bool) {
	for _, group := range comments {
		for _, line := range group.List {
			if m := lexicon.GuardedBy.FindStringSubmatch(line.Text); m != nil {
				return declaration{lock: cmp.Or(m[1], m[2]), pos: line.Pos()}, true
			}
		}
	}
	return declaration{}, false
}

// readComments reads the comments of the locks among the fields of a struct: "protects the
// fields below", which are those up to an empty line or another lock, "guards jobs and
// timers".
func (c *checker) readComments(fields []structField) {
	for i, l := range fields {
		if l.First && known.IsLock(l.Var.Type()) {
			c.heads(l.Var, fields[i+1:])
		}
		m := lexicon.Guards.FindStringSubmatch(l.Comment)
		if m == nil || !known.IsLock(l.Var.Type()) {
			continue
		}
		below := lexicon.Following.MatchString(m[1])
		for j, f := range fields {
			if j > i && (f.First || known.IsLock(f.Var.Type())) {
				below = false
			}
			if j > i && below || slices.Contains(strings.FieldsFunc(m[1], notInName), f.Var.Name()) {
				c.declared[f.Var] = declaration{lock: l.Var.Name(), pos: l.Var.Pos(), all: true}
			}
		}
	}
}

// heads notes the fields that stand below a lock, up to an empty line or another lock.
func (c *checker) heads(lock *types.Var, below []structField) {
	for _, f := range below {
		if f.First || known.IsLock(f.Var.Type()) {
			return
		}
		c.headed[f.Var] = lock.Name()
	}
}

func notInName(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// collect notes an access for every lock beside the place, after that of the callee which
// it restates: of functions that call each other, none comes first. It returns, as an
// index into the lists, the pairs of which no caller has to answer.
func (c *checker) collect(f *locks.Func, acc *locks.Access) int32 {
	if done := c.decided[acc.Index]; done != 0 {
		return done
	}
	id := int32(exempted)
	if acc.Of != nil {
		id = c.collect(c.locks.Of(acc.Of.Instr.Parent()), acc.Of)
	} else if !c.guardsItself(acc.Var.Type()) {
		id = nobodys
	}
	if id != exempted {
		id = c.answer(f, acc, id)
	}
	c.decided[acc.Index] = id
	return id
}

// The first lists of pairs: that of an access which needs no lock, and that of one of
// which every caller has to answer for all pairs.
const (
	exempted = iota + 1
	nobodys
)

// answer notes an access for every lock beside the place, but for those of which the
// callee has the answer.
func (c *checker) answer(f *locks.Func, acc *locks.Access, id int32) int32 {
	of := c.lists[id]
	c.list = c.list[:0]
	for _, w := range c.guards(acc.Spot) {
		if c.ofAnother(acc, w.pair) {
			continue
		}
		if !slices.Contains(of, w.pair) && !c.use(f, acc, w) {
			continue // its callers know
		}
		c.list = append(c.list, w.pair)
	}
	if slices.Equal(c.list, of) { // as most do
		return id
	}
	c.lists = append(c.lists, slices.Clone(c.list))
	return int32(len(c.lists) - 1)
}

// use notes an access for a lock, and reports whether its function can tell what the
// lock is there.
func (c *checker) use(f *locks.Func, acc *locks.Access, w waymark) bool {
	root := acc.Place.Root
	if w.global != nil {
		root = w.global
	}
	lock := locks.Ref{Root: root, Path: w.lock}
	u := use{Access: acc, f: f, lock: lock, mode: acc.Held[lock]}
	if u.mode == locks.Unknown && tooEarly(&u) == nil && !c.locks.Entered(f.SSA) {
		return false
	}
	u.says = c.says(outermost(f.SSA))
	if (u.says == commentSays || u.says == namedLocked) && tooEarly(&u) != nil && !saysAlone(outermost(f.SSA)) {
		u.says = nil // it takes the lock itself, which no goroutine has twice
	}
	if c.log.Asks(onlyMade) && c.setsUp(&u) {
		u.says = onlyMade
	}
	if w.pair.uses == nil {
		c.order = append(c.order, w.pair)
	}
	w.pair.uses = append(w.pair.uses, c.keep(u))
	return true
}

// keep is a use that is kept.
func (c *checker) keep(u use) *use {
	if len(c.space) == 0 {
		c.space = make([]use, 256)
	}
	kept := &c.space[0]
	c.space, *kept = c.space[1:], u
	return kept
}

// says is the rule by which a function says by its name or comment that its caller has
// the lock, or that nobody else has the object yet; nil for none.
func (c *checker) says(fn *ssa.Function) *verdict.Rule {
	by, ok := c.told[fn]
	if !ok {
		by = saysOf(c.log, fn)
		c.told[fn] = by
	}
	return by
}

// ofAnother reports whether the access is made by a method of an object within
// the one that has the lock: that object has ways of its own.
func (c *checker) ofAnother(acc *locks.Access, k *pair) bool {
	if !strings.Contains(k.path, ".") {
		return false
	}
	recv := outermost(acc.In).Signature.Recv()
	return recv != nil && c.typeName(recv.Type()) != k.owner
}

// guards are the locks that could guard a place: those in the structs on the way to
// it, and for a package variable those that are one.
func (c *checker) guards(at *locks.Spot) []waymark {
	list, ok := c.spots[at]
	if !ok {
		list = c.guardsOf(at.Place)
		c.spots[at] = list
	}
	return list
}

// guardsOf is guards, asked once for each place.
func (c *checker) guardsOf(r locks.Ref) []waymark {
	var list []waymark
	if v, ok := r.Root.(*ssa.Global); ok {
		list = c.besides(v, r)
	}
	if r.Path == "" {
		return list
	}
	way := c.onTheWay(place{objectOf(r.Root), r.Path})
	if len(list) == 0 {
		return way
	}
	return slices.Concat(list, way)
}

// pair is the pair of the names.
func (c *checker) pair(n names) *pair {
	k := c.pairs[n]
	if k == nil {
		k = &pair{names: n}
		c.pairs[n] = k
	}
	return k
}

// objectOf is the type of an object, or of the pointer to it: of what an element of a
// list points to, where the value is the place of the element.
func objectOf(v ssa.Value) types.Type {
	t := v.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		if _, ok := p.Elem().Underlying().(*types.Pointer); ok {
			return p.Elem()
		}
	}
	return t
}

// A place is a type and the fields that lead from one of its values.
type place struct {
	typ  types.Type
	path string
}

// A waymark is a lock in a struct on the way to a place, or beside it.
type waymark struct {
	pair   *pair
	lock   string      // the fields that lead to it
	global *ssa.Global // that it is; nil where it is a field of the same object
}

// onTheWay lists the locks in the structs on the way to a place, once for all
// accesses to it.
func (c *checker) onTheWay(at place) []waymark {
	list, ok := c.ways[at]
	if ok {
		return list
	}
	list = c.stops[:0]
	t, before, rest := at.typ, "", at.path
	for rest != "" {
		name, behind, _ := strings.Cut(rest, ".")
		v, locks := fieldNamed(t, name), c.locks.LockFields(t)
		if v == nil || slices.Contains(locks, v) {
			break
		}
		for _, l := range locks {
			list = append(list, waymark{pair: c.pair(names{c.typeName(t), rest, l.Name()}), lock: before + l.Name()})
		}
		t, before, rest = v.Type(), at.path[:len(at.path)-len(behind)], behind
	}
	c.stops = list
	list = slices.Clone(list)
	c.ways[at] = list
	return list
}

// besides lists the locks that stand beside a package variable, once for all accesses to
// a place in it. What a variable points to may be somebody else's.
func (c *checker) besides(v *ssa.Global, r locks.Ref) []waymark {
	list, ok := c.vars[r]
	if ok {
		return list
	}
	if _, ok := known.Pointee(v.Type()).Underlying().(*types.Struct); (ok || r.Path == "") && !known.IsLock(known.Pointee(v.Type())) {
		for _, l := range c.globals {
			list = append(list, waymark{pair: c.pair(names{"", r.String(), l.Name()}), global: l})
		}
	}
	c.vars[r] = list
	return list
}

// typeName is the name of a type, or of what it points to.
func (c *checker) typeName(t types.Type) string {
	name, ok := c.types[t]
	if !ok {
		name = types.TypeString(known.Pointee(t), func(*types.Package) string { return "" })
		c.types[t] = name
	}
	return name
}

func fieldNamed(t types.Type, name string) *types.Var {
	st, ok := known.Pointee(t).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for v := range st.Fields() {
		if v.Name() == name {
			return v
		}
	}
	return nil
}

// guardsItself is needsNoLock, asked once for each type.
func (c *checker) guardsItself(t types.Type) bool {
	is, ok := c.exempt[t]
	if !ok {
		is = needsNoLock(t)
		c.exempt[t] = is
	}
	return is
}

// needsNoLock reports whether values of a type need no lock: channels, locks,
// atomics, contexts.
func needsNoLock(t types.Type) bool {
	if _, ok := t.Underlying().(*types.Chan); ok || known.IsLock(t) {
		return true
	}
	named, ok := types.Unalias(known.Pointee(t)).(*types.Named)
	if !ok {
		return false
	}
	switch known.Path(named.Obj()) {
	case "sync", "sync/atomic", "context":
		return true
	}
	return false
}

// Sides are the uses of a pair by how the lock stands there.
type sides struct {
	held  []*use
	wrong []*use // changes that are outside of the lock
	early []*use // those that are, and may
	looks []*use // looks that may be outside of it
	apart []*use // other looks without it
	bare  []*use // changes that have nothing to do with it
	// excused are changes and the rules by which they are right, for those who want to know.
	excused []excuse
	changed bool // under the lock
	without *use // somebody changes it with no thought of the lock
}

// part sorts the uses of a pair.
func (c *checker) part(k *pair) *sides {
	s := &sides{}
	for _, u := range k.uses {
		by := (*verdict.Rule)(nil)
		switch {
		case u.covered():
			s.held = append(s.held, u)
			s.changed = s.changed || u.Write
		case u.mode == locks.Mixed && (u.Write || !onlyVisits(u)):
		case !u.Write:
			switch {
			case promised(c.log, u) != nil:
			case u.Of == nil && (outside(u) || len(u.f.Visits) > 0) && !holdsAny(u):
				s.looks = append(s.looks, u)
			case u.exposed():
				s.apart = append(s.apart, u)
			}
		case c.log.Asks(anotherLock) && otherLock(u, k.uses):
			by = anotherLock
			if !outside(u) && !guardsAs(u) {
				s.bare = append(s.bare, u)
			}
		default:
			switch by = promised(c.log, u); {
			case by != nil:
				if u.says == nil {
					s.early = append(s.early, u)
				}
			case outside(u):
				s.wrong = append(s.wrong, u)
			default:
				s.bare = append(s.bare, u)
				if s.without == nil || s.without.makesMap() {
					s.without = u
				}
			}
		}
		if by != nil && c.log.Keeps() {
			s.excused = append(s.excused, excuse{u, by})
		}
	}
	return s
}

// crashing are the changes of a map under the read lock, and others all other changes, where nobody
// does more without the lock than to make the map: whoever made it, those who have the read lock
// together crash.
func (s *sides) crashing() (crash, others []*use) {
	for _, u := range s.wrong {
		if _, enters := u.Instr.(*ssa.MapUpdate); enters && u.underReaders() && s.without.makesMap() {
			crash = append(crash, u)
		} else {
			others = append(others, u)
		}
	}
	return crash, others
}

// makesMap reports whether a use gives the place a new map.
func (u *use) makesMap() bool {
	if u == nil {
		return false
	}
	st, ok := u.Instr.(*ssa.Store)
	if !ok {
		return false
	}
	_, ok = st.Val.(*ssa.MakeMap)
	return ok
}

// judge finds the uses of one place that come too early or too late, if the
// rest of the package says that the lock guards it.
func (c *checker) judge(k *pair, r *report) {
	if !c.isDeclared(k) && !slices.ContainsFunc(k.uses, (*use).covered) {
		return
	}
	s := c.part(k)
	defer c.asides(k, s, r)
	declared := declaration{}
	if c.isDeclared(k) {
		declared = c.declared[k.uses[0].Var]
	}
	said := declared.lock != ""
	if !said && functions(s.held) < 2 && !(len(s.held) > 0 && slices.ContainsFunc(s.wrong, (*use).underReaders)) {
		return
	}
	g := &guard{c.log, k.lock, declared.pos, k.uses, s.held, !c.filed(k, s.held), nil}
	saved := sync.OnceValue(func() bool { return c.saved(k) })
	g.saved = func(u *use) bool { return c.changesFile(k, c.p.Of(outermost(u.f.SSA))) || saved() }
	c.turns(k, s, g, declared, r)
	c.unguarded(k, g, r)
}

// isDeclared reports whether a comment says that the lock guards the place.
func (c *checker) isDeclared(k *pair) bool {
	return k.lock != "" && c.declared[k.uses[0].Var].lock == k.lock && c.log.Asks(declaredSo)
}

// turns finds the uses of a place that come too early or too late.
func (c *checker) turns(k *pair, s *sides, guard *guard, declared declaration, r *report) {
	said, filed := declared.lock != "", !guard.memory
	crash, other := s.crashing()
	switch {
	case !said && s.without != nil && r.silent(other, careless, s.without.Pos, "it is changed without the lock"):
		c.outside(crash, s.held, guard, said, r)
		return
	// Where several change it and none of them under the lock, those who read it there
	// have the lock for something else.
	case !said && !s.changed && functions(append(s.early, s.wrong...)) > 1 && r.silent(s.wrong, readUnder, token.NoPos, "nobody changes it under the lock"):
		return
	case (!said || declared.all) && c.ofOneGoroutine(k) && r.silent(s.wrong, oneGoroutine, token.NoPos, "it belongs to one goroutine"):
		return
	}
	for _, u := range s.held {
		look, again := c.unchecked(u)
		_, field := u.Instr.(*ssa.Store)
		switch {
		case look == nil || !guard.isCustomary(u):
		case (field || !filed) && !c.isState(u, guard) && !refuses(*look, u.Instr.Block()) && r.silent([]*use{u}, madeAgain, token.NoPos, "what is entered tells no more than what it was made of"):
		default:
			r.recheck(c, u, look, again, guard)
		}
		if acc := escaped(u); s.changed && acc != nil && guard.isCustomary(u) {
			r.escape(u, acc, guard)
		}
	}
	for _, u := range s.looks {
		if slices.ContainsFunc(s.wrong, func(w *use) bool { return w.f == u.f }) {
			continue // the change says so
		}
		if call := c.overwrites(u); call != nil && guard.isCustomary(u) {
			r.overwrite(u, call, guard)
		} else if outside(u) && c.misled(u, guard, r) {
			r.change(u, guard)
		}
	}
	for _, u := range s.bare {
		if said && c.bare(u, s.bare, k.uses) && len(guard.others(s.held, u)) > 0 {
			r.bare(u, guard)
		}
	}
	c.outside(s.wrong, s.held, guard, said, r)
	for _, e := range s.excused {
		if outside(e.use) && guard.isCustomary(e.use) {
			r.silent([]*use{e.use}, e.by, e.use.Pos, "it is changed outside of the lock here")
		}
	}
}

// outside finds the changes of a place that the lock does not cover.
func (c *checker) outside(list, held []*use, guard *guard, said bool, r *report) {
	for _, u := range list {
		if guard.memory && !guard.isProven(u) && r.silent([]*use{u}, noFile, token.NoPos, "nothing that uses it has to do with a file, and too little says that the lock is for it") {
			continue
		}
		if guard.isCustomary(u) && (said || c.shared(u, held) || !r.silent([]*use{u}, sameGoroutine, token.NoPos, "all others run on the same goroutine")) {
			r.change(u, guard)
		}
	}
}

// An excuse is a change outside of the lock, and the rule by which it is right.
type excuse struct {
	use *use
	by  *verdict.Rule
}

// outside reports whether a change is made before the lock is taken, after it is released,
// or under the lock of readers.
func outside(u *use) bool { return u.mode == locks.Reading || taken(u) != nil || tooLate(u) != nil }

// taken is where the lock is taken behind the use, by the function or by what it calls.
func taken(u *use) *locks.Event { return cmp.Or(tooEarly(u), visited(u)) }

// shared reports whether others than the goroutine of a use go by the lock: what one
// goroutine does in turn, it cannot do at once.
func (c *checker) shared(u *use, held []*use) bool {
	own := c.p.Callers().Goroutine(u.f.SSA)
	if own == nil {
		return true
	}
	return functions(slices.DeleteFunc(slices.Clone(held), func(o *use) bool { return c.p.Callers().Goroutine(o.f.SSA) == own })) > 1
}

// ofOneGoroutine reports whether a place belongs to a goroutine: it changes the
// place without the lock in a loop that takes the lock, and whoever else changes
// it is called by it.
func (c *checker) ofOneGoroutine(k *pair) bool {
	return slices.ContainsFunc(k.uses, func(u *use) bool {
		if !u.Write || u.Of != nil || !inRounds(u) {
			return false
		}
		loop := c.p.Of(outermost(u.f.SSA))
		return loop != nil && !slices.ContainsFunc(k.uses, func(o *use) bool {
			f := c.p.Of(outermost(o.f.SSA))
			return o.Write && f != loop && (o.mode == locks.Writing || promised(c.log, o) == nil) && (f == nil || !c.p.CanCall(loop, f))
		})
	})
}

// filed reports whether a function that uses the place, or a method of the
// object, has to do with a file: what stands for no file is another tool's
// business. That of a package variable must be reached under the lock.
func (c *checker) filed(k *pair, held []*use) bool {
	if k.owner == "" {
		return slices.ContainsFunc(held, c.savesUnder)
	}
	return slices.ContainsFunc(k.uses, func(u *use) bool { return acts(c.p.Of(outermost(u.f.SSA))) }) ||
		k.owner != "" && slices.ContainsFunc(c.p.Funcs, func(f *effects.Func) bool {
			recv := f.SSA.Signature.Recv()
			return recv != nil && c.typeName(recv.Type()) == k.owner && acts(f)
		})
}

// saved reports whether the place, or the object that has it as an exported field, is saved to a
// file. Of a package variable that is asked under the lock, see filed.
func (c *checker) saved(k *pair) bool {
	if k.owner == "" {
		return true
	}
	name, _, _ := strings.Cut(k.path, ".") // the field of the object, which may have the place in it
	typ := c.typePath(k)
	of := func(t *pathexpr.Term) bool {
		for ; t != nil && t.Kind == pathexpr.Field; t = t.Args[0] {
			if t.Type == typ {
				return t.Text == name
			}
		}
		return t != nil && t.Type == typ && token.IsExported(name)
	}
	return slices.ContainsFunc(c.p.Funcs, func(f *effects.Func) bool {
		return slices.ContainsFunc(f.OfKind(effects.Write, effects.Replace), func(e *effects.Effect) bool {
			return slices.ContainsFunc(e.From, func(s memory.Source) bool { return of(s.Term) })
		})
	})
}

// savesUnder reports whether the function of a use has to do with a file while it
// holds the lock.
func (c *checker) savesUnder(u *use) bool {
	f := c.p.Of(u.f.SSA)
	return f != nil && slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
		if !onFile(e) || e.When != effects.Inline {
			return false
		}
		m := u.f.Held(e.At)[u.lock]
		return m == locks.Writing || m == locks.Reading
	})
}

func acts(f *effects.Func) bool { return f != nil && slices.ContainsFunc(f.Effects, onFile) }

// changesFile reports whether a function changes or removes a file that an object names.
func (c *checker) changesFile(k *pair, f *effects.Func) bool {
	own := func(t *pathexpr.Term) bool {
		return t != nil && t.Any(func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Field && t.Type == c.typePath(k) })
	}
	return f != nil && slices.ContainsFunc(f.OfKind(effects.Truncate, effects.CreateExclusive, effects.Append, effects.Rename, effects.Remove, effects.Replace), func(e *effects.Effect) bool {
		return own(e.Path) || own(e.Target)
	})
}

// typePath is the import path and name of the type that has the place, as in terms.
func (c *checker) typePath(k *pair) string {
	name, _, _ := strings.Cut(k.owner, "[") // of a generic type without its arguments
	return c.p.Pass.Pkg.Path() + "." + name
}

func onFile(e *effects.Effect) bool {
	switch e.Kind {
	case effects.Read, effects.Truncate, effects.Open, effects.CreateExclusive, effects.Append, effects.Rename, effects.Remove, effects.Replace:
		return true
	}
	return false
}

// functions counts the functions of uses, literals as those around them.
func functions(us []*use) int {
	seen := map[*ssa.Function]bool{}
	for _, u := range us {
		seen[outermost(u.f.SSA)] = true
	}
	return len(seen)
}

func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}
