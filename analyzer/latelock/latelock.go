package latelock

import (
	_ "embed"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/slice"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// Doc is the source of doc.go, the only text of the check's documentation.
//
//go:embed doc.go
var Doc string

// Name is the name of the check.
const Name = "latelock"

// The names of a place and of a lock that may guard it, both from the innermost struct that holds
// the lock: "jobs of Service, mu". Package variables have no owner.
type names struct {
	owner string
	path  string
	lock  string
}

// A pair is a place and a lock that may guard it, in any object of the type.
type pair struct {
	names
	uses   []*use
	held   []*use // those under the lock
	memory bool   // no file stands behind the place
}

// A use is an access, and a function that knows how the lock stands there.
type use struct {
	locks.Way
	mode locks.Mode
	// excuse is the rule by which the function needs no lock of its own, nil for none; see excuseOf.
	excuse *verdict.Rule
}

// fn is the declared function that knows how the lock stands.
func (u *use) fn() *ssa.Function { return outermost(u.Func.SSA) }

// in is the declared function that makes the access.
func (u *use) in() *ssa.Function { return outermost(u.Access.Func.SSA) }

// covered reports whether a use has the lock that it needs.
func (u *use) covered() bool {
	return u.mode == locks.Writing || u.mode == locks.Reading && !u.Access.Write
}

// outside reports whether the function acquires the lock after the use, has released it before, or
// changes the place under the read lock.
func (u *use) outside() bool {
	return u.mode == locks.Reading || early(u.Way) != nil || late(u.Way) != nil
}

// Run reports the uses of guarded memory outside of the lock.
func Run(p *effects.Package, x *state.Index) []*finding.Finding {
	if len(p.Beside) == 0 && !slices.ContainsFunc(p.Funcs, actsOnFile) || !slice.HasLock(p.Pass.Pkg) {
		return nil
	}
	c := &checker{
		p: p, log: x.Log(), locks: locks.Of(p), pairs: map[names]*pair{}, types: map[types.Type]string{},
		says: map[*ssa.Function]*verdict.Rule{},
	}
	for _, f := range c.locks.Funcs {
		for _, acc := range f.Accesses {
			c.collect(acc)
		}
	}
	r := &report{
		log: c.log, x: x, moves: map[*locks.Event][]moved{}, places: map[token.Pos]bool{}, subjects: map[subject]bool{},
	}
	for _, k := range c.order {
		c.judge(k, r)
	}
	return r.findings()
}

type checker struct {
	p           *effects.Package
	log         *verdict.Log
	locks       *locks.Package
	pairs       map[names]*pair
	order       []*pair
	types       map[types.Type]string           // see typeName
	says        map[*ssa.Function]*verdict.Rule // see promised
	filedOwners map[string]bool                 // see owners
}

// collect notes an access for every lock beside its place.
func (c *checker) collect(acc *locks.Access) {
	if needsNoLock(acc.Var.Type()) {
		return
	}
	for lock := range c.locks.Beside(acc.Place) {
		n := c.namesOf(acc.Place, lock)
		if c.ofAnother(acc, n) {
			continue
		}
		for w := range c.locks.Ways(acc, lock, func(w locks.Way) bool { return early(w) != nil }) {
			u := &use{Way: w, mode: w.Mode()}
			if !u.covered() {
				u.excuse = c.excuseOf(u)
			}
			c.pair(n).uses = append(c.pair(n).uses, u)
		}
	}
}

func (c *checker) pair(n names) *pair {
	k := c.pairs[n]
	if k == nil {
		k = &pair{names: n}
		c.pairs[n], c.order = k, append(c.order, k)
	}
	return k
}

func (c *checker) namesOf(place, lock locks.Ref) names {
	if lock.Path == "" {
		return names{path: place.String(), lock: lock.String()}
	}
	object := objectPath(lock)
	return names{c.typeName(c.locks.Owner(lock)), place.Path[len(object):], lock.Path[len(object):]}
}

// objectPath is what leads to the struct that holds a lock, with the dot behind it.
func objectPath(lock locks.Ref) string { return lock.Path[:strings.LastIndexByte(lock.Path, '.')+1] }

// typeName is the name of a type, or of what it points to.
func (c *checker) typeName(t types.Type) string {
	name, ok := c.types[t]
	if !ok {
		name = types.TypeString(known.Pointee(t), func(*types.Package) string { return "" })
		c.types[t] = name
	}
	return name
}

// ofAnother reports whether the access is made by a method of an object within
// the one that has the lock: that object has ways of its own.
func (c *checker) ofAnother(acc *locks.Access, n names) bool {
	recv := outermost(acc.Func.SSA).Signature.Recv()
	return strings.Contains(n.path, ".") && recv != nil && c.typeName(recv.Type()) != n.owner
}

// needsNoLock reports whether a type is a channel, a lock, an atomic or a context.
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

// judge reports the uses of one place that have the lock too late, no longer, or not at all, if the
// rest of the package says that the lock guards the place.
func (c *checker) judge(k *pair, r *report) {
	k.held = slices.DeleteFunc(slices.Clone(k.uses), func(u *use) bool { return !u.covered() })
	underReaders := func(u *use) bool { return u.Access.Write && u.mode == locks.Reading }
	proven := functions(k.held) > 1 || len(k.held) > 0 && slices.ContainsFunc(k.uses, underReaders)
	if !proven || !c.log.Asks(mostHold) {
		return
	}
	k.memory = !c.filed(k)
	for _, u := range k.held {
		if look := c.unchecked(u, k, r); look != nil && k.customary(u) {
			r.recheck(u, look, k)
		}
	}
	c.changes(k, r)
	c.unguarded(k, r)
}

// changes reports the changes of a place outside of the lock.
func (c *checker) changes(k *pair, r *report) {
	var wrong []*use
	var careless *use
	for _, u := range k.uses {
		switch {
		case !u.Access.Write || u.covered() || u.mode == locks.Mixed && acquiredAfter(u.Way) == nil:
		case u.mode != locks.Mixed && (u.excuse != nil || u.outside() || otherLock(u)):
			wrong = append(wrong, u)
		case careless == nil: // or in a loop that acquires the lock in each round
			careless = u
		}
	}
	changed := slices.ContainsFunc(k.held, func(u *use) bool { return u.Access.Write })
	for _, u := range wrong {
		meets := func(o *use) bool { return c.meets(u, o) }
		says := func(by *verdict.Rule, holds bool, text string) bool {
			return holds && r.silent(u, by, token.NoPos, text)
		}
		switch {
		case !u.outside() || !k.customary(u):
		case u.excuse != nil && says(u.excuse, true, u.excuse.Why):
		case says(anotherLock, otherLock(u), "another lock is held"):
		case careless != nil && r.silent(u, changedWithout, careless.Access.Pos, "it is changed without the lock"):
		case says(changedWithout, !changed && functions(wrong) > 1, "nobody changes it under the lock"):
		case says(noFile, k.memory && !k.isProven(u), "it has nothing to do with a file, and too little says that the lock is for it"):
		case says(oneGoroutine, !slices.ContainsFunc(k.held, meets), "all others come before or after it"):
		default:
			r.change(u, k)
		}
	}
}

// isProven reports whether enough speaks for a change outside of the lock, where no file
// stands behind the place: others use the place under the lock, and one of them changes it
// there.
func (k *pair) isProven(u *use) bool {
	others := k.others(k.held, u)
	if u.mode == locks.Reading {
		return len(others) > 0
	}
	return len(others) > 1 && (late(u.Way) != nil || slices.ContainsFunc(others, func(o *use) bool { return o.Access.Write }))
}

// customary reports whether most of the other functions that use the place have the lock then.
func (k *pair) customary(u *use) bool {
	return 2*len(k.others(k.held, u)) > len(k.others(k.uses, u))
}

// others lists one use for every other function, a change if it makes one.
func (k *pair) others(us []*use, u *use) []*use {
	var list []*use
	for _, o := range us {
		i := slices.IndexFunc(list, func(x *use) bool { return x.fn() == o.fn() })
		switch {
		case o.fn() == u.fn() || !o.covered() && o.excuse != nil:
		case i < 0:
			list = append(list, o)
		case o.Access.Write && !list[i].Access.Write:
			list[i] = o
		}
	}
	return list
}

// functions counts the functions of uses, literals as those around them.
func functions(us []*use) int {
	seen := map[*ssa.Function]bool{}
	for _, u := range us {
		seen[u.fn()] = true
	}
	return len(seen)
}

func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}
