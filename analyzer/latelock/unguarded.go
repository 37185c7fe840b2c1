package latelock

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A handling is what a function does with a map or a slice that it has loaded.
type handling uint8

const (
	passesOn handling = iota // it does nothing with its elements
	looksInto
	rangesOver
	changesIn
)

func (h handling) String() string {
	return [...]string{"passes on", "looks into", "ranges over", "changes"}[h]
}

// unguarded reports functions that use elements of a map or a slice without the lock under
// which others change them. Of a function the worst use is reported.
func (c *checker) unguarded(k *pair, r *report) {
	list := slices.DeleteFunc(slices.Clone(k.uses), func(u *use) bool { return handled(u.Access) == passesOn || !strays(u, k) })
	slices.SortStableFunc(list, func(a, b *use) int {
		return cmp.Or(cmp.Compare(handled(b.Access), handled(a.Access)), cmp.Compare(a.Access.Pos, b.Access.Pos))
	})
	for _, u := range list {
		if w := c.writer(u, k); w != nil && !c.excusedBare(u, k, r) {
			r.unguarded(u, w, k)
		}
	}
}

// handled is what is done with the elements of a map or slice that an access loads.
func handled(acc *locks.Access) handling {
	load, ok := acc.Instr.(*ssa.UnOp)
	if !ok || acc.Write {
		return passesOn
	}
	switch load.Type().Underlying().(type) {
	case *types.Map, *types.Slice:
	default:
		return passesOn
	}
	does := passesOn
	for _, i := range flow.Uses(load) {
		does = max(does, handles(i, load))
	}
	return does
}

// handles is what an instruction does with the elements of a map or slice.
func handles(i ssa.Instruction, v ssa.Value) handling {
	switch i := i.(type) {
	case *ssa.Range:
		return rangesOver
	case *ssa.Lookup:
		return looksInto
	case *ssa.IndexAddr:
		return looksInto
	case *ssa.MapUpdate:
		if i.Map == v {
			return changesIn
		}
	case *ssa.Call:
		if b, ok := i.Call.Value.(*ssa.Builtin); ok && (b.Name() == "delete" || b.Name() == "clear") {
			return changesIn
		}
		if callee := i.Call.StaticCallee(); callee != nil && callee.Object() != nil && known.Path(callee.Object()) == "maps" {
			return rangesOver
		}
	}
	return passesOn
}

// strays reports whether a use does not have the lock, of an object that others have, although at
// least four of five functions that use the place have it. One of these only reads: so the lock is
// for readers, too. What lies in a struct of its own, or is reached through another object, may have
// another lock, or none; an object that the function has computed may be its own.
func strays(u *use, k *pair) bool {
	_, computed := u.Place.Root.(ssa.Instruction)
	if u.mode != locks.Unknown && u.mode != locks.Free || computed || strings.Contains(u.Lock.Path+u.Place.Path, ".") {
		return false
	}
	others := k.others(k.held, u)
	if len(others) < 2 || !slices.ContainsFunc(others, func(o *use) bool { return !o.Access.Write }) {
		return false
	}
	without := map[*ssa.Function]bool{u.in(): true}
	for _, o := range k.uses {
		if !o.covered() && o.mode != locks.Mixed && o.excuse == nil {
			without[o.in()] = true
		}
	}
	return len(others) >= 4*(len(without)-1)
}

// writer is a change of the elements under the lock that can come at the same time as a use;
// nil for none. A slice is replaced where it grows, a map is changed in its place.
func (c *checker) writer(u *use, k *pair) *use {
	_, isMap := u.Access.Var.Type().Underlying().(*types.Map)
	for _, o := range k.held {
		_, replaced := o.Access.Instr.(*ssa.Store)
		empty, constant := o.Access.Value.(*ssa.Const)
		grows := replaced && o.Access.Value != nil && !(constant && empty.IsNil())
		if o.Access.Write && o.mode == locks.Writing && !beginsOrEnds(o.fn()) && (isMap && !replaced || !isMap && grows) &&
			(c.meets(u, o) || !c.log.Asks(oneGoroutine)) {
			return o
		}
	}
	return nil
}

// meets reports whether two uses can happen at a time: each can be entered where the other
// is not, or on a goroutine of its own, of which there may be several.
func (c *checker) meets(u, o *use) bool {
	theirs := c.entries(o.Func.SSA)
	return slices.ContainsFunc(c.entries(u.Func.SSA), func(a *ssa.Function) bool {
		return slices.ContainsFunc(theirs, func(b *ssa.Function) bool {
			if a == b {
				return c.locks.Started(a) && c.p.Callers().Goroutine(a) == nil
			}
			f, g := c.p.Of(a), c.p.Of(b)
			return c.locks.Started(a) || c.locks.Started(b) || f != nil && g != nil && !c.p.CanCall(f, g) && !c.p.CanCall(g, f)
		})
	})
}

// entries are the functions that one can enter first on the way to a function.
func (c *checker) entries(fn *ssa.Function) []*ssa.Function {
	callers := func(fn *ssa.Function) []*ssa.Function {
		var list []*ssa.Function
		for _, site := range c.p.Callers().Sites(fn) {
			if _, started := site.(*ssa.Go); !started {
				list = append(list, site.Parent())
			}
		}
		if fn.Parent() != nil && !c.locks.Started(fn) {
			list = append(list, fn.Parent())
		}
		return list
	}
	all := flow.Reach(c.p.Flow.Budget, callers, fn)
	return slices.DeleteFunc(all, func(fn *ssa.Function) bool { return !c.locks.Entered(fn) })
}

// excusedBare reports whether a rule says that a use without the lock is right, or that
// somebody may have the lock for it.
func (c *checker) excusedBare(u *use, k *pair, r *report) bool {
	says := func(by *verdict.Rule, holds bool, text string) bool {
		return holds && r.silent(u, by, token.NoPos, text)
	}
	covered := func(o *use) bool { return o.Access == u.Access && o.covered() }
	untouched := u.mode == locks.Unknown && early(u.Way) == nil
	grows := untouched && handled(u.Access) != changesIn && !slices.ContainsFunc(k.held, takesOut)
	return u.excuse != nil && says(u.excuse, true, "it is used without the lock here") ||
		says(anotherLock, len(u.heldLocks()) > 0, "another lock is held") ||
		says(callerMayHold, slices.ContainsFunc(k.uses, covered), "a caller has the lock") ||
		says(callerMayHold, c.handedOn(u), "who calls it cannot be seen") ||
		says(callerMayHold, untouched && c.exportsLock(u), "its callers can acquire the lock") ||
		says(beginning, beginsOrEnds(u.fn()) || beginsOrEnds(u.in()), "it runs when nobody else uses the object") ||
		says(onlyGrows, grows, "elements are only added under the lock")
}

// beginsOrEnds reports whether the work of an object or a program begins or ends with a function, by
// its name.
func beginsOrEnds(fn *ssa.Function) bool {
	name := fn.Name()
	return lexicon.Early.Begins(name) || lexicon.Starts.Begins(name) || lexicon.Concludes.Begins(name) || name == "main"
}

// handedOn reports whether code that cannot be seen may call the function that answers for a use
// under the lock: the function is a value, or a method by which std asks an object for something
// while somebody has the lock. Goroutines and what serves requests begin without any lock.
func (c *checker) handedOn(u *use) bool {
	fn := u.Func.SSA
	servesHTTP := func(v *types.Var) bool { return known.IsType(known.Pointee(v.Type()), "net/http", "Request") }
	if c.locks.Started(fn) || slices.ContainsFunc(slices.Collect(fn.Signature.Params().Variables()), servesHTTP) {
		return false
	}
	return fn.Parent() != nil || len(c.p.Callers().Values(fn)) > 0 || lexicon.Fills[fn.Name()] || lexicon.CalledBack[fn.Name()]
}

// exportsLock reports whether other packages can call the function with the lock held.
func (c *checker) exportsLock(u *use) bool {
	owner := c.locks.Owner(u.Lock)
	if u.Lock.Path == "" || owner == nil || !ast.IsExported(u.fn().Name()) {
		return false
	}
	method, _, _ := types.LookupFieldOrMethod(owner, true, u.Func.SSA.Pkg.Pkg, "Lock")
	return method != nil || ast.IsExported(u.Lock.Path[len(objectPath(u.Lock)):])
}

// takesOut reports whether a use takes elements out under the lock, or puts another map or
// slice in the place: what is only filled may be full when it is read.
func takesOut(u *use) bool {
	if !u.Access.Write || u.mode != locks.Writing || beginsOrEnds(u.fn()) {
		return false
	}
	st, ok := u.Access.Instr.(*ssa.Store)
	if !ok {
		_, deletes := u.Access.Instr.(*ssa.Call)
		return deletes
	}
	switch v := st.Val.(type) {
	case *ssa.MakeMap:
		return false
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		return !ok || b.Name() != "append"
	}
	return true
}
