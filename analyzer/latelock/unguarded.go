package latelock

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
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

// A bareUse is a use of elements without the lock, and a change under the lock that can come
// at the same time.
type bareUse struct {
	*use
	does   handling
	writer *use
	half   bool // no more than half of the others are known to have the lock
}

// unguarded reports functions that use elements of a map or a slice without the lock under
// which others change it. Of a function the worst use is reported.
func (c *checker) unguarded(k *pair, g *guard, r *report) {
	worst := map[*ssa.Function]bareUse{}
	var order []*ssa.Function
	for _, u := range k.uses {
		does := handled(u)
		stray, half := c.strays(u, k, g)
		if does == passesOn || !stray {
			continue
		}
		w := c.writer(u, g)
		if w == nil || c.excusedBare(u, g, r) {
			continue
		}
		in := outermost(u.In)
		old, ok := worst[in]
		if !ok {
			order = append(order, in)
		}
		if !ok || does > old.does || does == old.does && u.Pos < old.Pos {
			worst[in] = bareUse{u, does, w, half}
		}
	}
	for _, in := range order {
		r.unguarded(worst[in], g)
	}
}

// handled is what is done with the elements of a map or slice that a use loads.
func handled(u *use) handling {
	load, ok := origin(u.Access).Instr.(*ssa.UnOp)
	if !ok || u.Write {
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
		if len(flow.StoresTo(i)) > 0 {
			return changesIn
		}
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

// origin is the access that an access restates in the end.
func origin(acc *locks.Access) *locks.Access {
	for acc.Of != nil {
		acc = acc.Of
	}
	return acc
}

// strays reports whether a use has not got the lock, of an object that others have, although
// next to all others that use the place have it. One of these only reads: so the lock is for
// readers, too. For a change, half of them are enough where the lock heads the group of the place.
func (c *checker) strays(u *use, k *pair, g *guard) (strays, half bool) {
	if !u.exposed() || !hasOwner(u) || strings.Contains(strings.TrimPrefix(u.Place.Path, beside(u.lock)), ".") {
		return false, false
	}
	others := g.others(g.held, u)
	if !slices.ContainsFunc(others, func(o *use) bool { return onlyReads(o, g.held) }) {
		return false, false
	}
	strangers := c.strangers(u, k)
	if c.log.Asks(readersToo) && len(others) >= 4*strangers {
		return true, false
	}
	half = c.log.Asks(headOf) && handled(u) == changesIn && c.headed[u.Var] == g.lock && len(others) >= max(2, strangers)
	return half, half
}

// exposed reports whether the lock is not held at a use, as far as the function can tell.
func (u *use) exposed() bool {
	return u.mode == locks.Unknown || u.mode == locks.Free || u.mode == locks.Mixed && (takenBehind(u) != nil || onlyVisits(u))
}

// hasOwner reports whether others can have the object of a use: it is a package variable, or
// the function was given a pointer to it.
func hasOwner(u *use) bool {
	switch root := u.Place.Root.(type) {
	case *ssa.Global:
		return true
	case *ssa.Parameter:
		_, pointer := root.Type().Underlying().(*types.Pointer)
		return pointer
	}
	return false
}

// beside is what leads to the struct that a lock is in, with the dot behind it.
func beside(lock locks.Ref) string {
	return lock.Path[:strings.LastIndexByte(lock.Path, '.')+1]
}

// strangers counts the other functions that use the place without the lock.
func (c *checker) strangers(u *use, k *pair) int {
	seen := map[*ssa.Function]bool{outermost(u.In): true}
	for _, o := range k.uses {
		if o.exposed() && c.says(outermost(o.In)) == nil && promised(c.log, o) == nil {
			seen[outermost(o.In)] = true
		}
	}
	return len(seen) - 1
}

// onlyReads reports whether the function of a use has the lock only to read.
func onlyReads(u *use, held []*use) bool {
	return !slices.ContainsFunc(held, func(o *use) bool { return o.Write && outermost(o.f.SSA) == outermost(u.f.SSA) })
}

// writer is a change of the elements under the lock that can come at the same time as a use;
// nil for none. A slice is replaced where it grows, a map is changed in its place.
func (c *checker) writer(u *use, g *guard) *use {
	_, isMap := origin(u.Access).Instr.(*ssa.UnOp).Type().Underlying().(*types.Map)
	changes := func(o *use) bool {
		made := origin(o.Access)
		_, replaced := made.Instr.(*ssa.Store)
		k, _ := made.Value.(*ssa.Const)
		return o.Write && o.mode == locks.Writing && replaced != isMap && (isMap || made.Value != nil && (k == nil || !k.IsNil())) &&
			!slices.ContainsFunc(c.way(o), starter)
	}
	for _, o := range g.held {
		if changes(o) && (c.meets(u, o) || !c.log.Asks(oneEntry)) {
			return o
		}
	}
	return nil
}

// meets reports whether two uses can happen at a time: each can be entered where the other
// is not, or on a goroutine of its own.
func (c *checker) meets(u, o *use) bool {
	theirs := c.entries(o.f.SSA)
	return slices.ContainsFunc(c.entries(u.f.SSA), func(a *ssa.Function) bool {
		return slices.ContainsFunc(theirs, func(b *ssa.Function) bool {
			f, g := c.p.Of(a), c.p.Of(b)
			return a != b && (c.started(a) || c.started(b) || f != nil && g != nil && !c.p.CanCall(f, g) && !c.p.CanCall(g, f))
		})
	})
}

// entries are the functions that one can enter first on the way to a function.
func (c *checker) entries(fn *ssa.Function) []*ssa.Function {
	callers := func(fn *ssa.Function) []*ssa.Function {
		if fn.Parent() != nil && !c.started(fn) {
			return []*ssa.Function{fn.Parent()}
		}
		var list []*ssa.Function
		for _, site := range c.p.Callers().Sites(fn) {
			if _, started := site.(*ssa.Go); !started {
				list = append(list, site.Parent())
			}
		}
		return list
	}
	return slices.DeleteFunc(flow.Reach(c.p.Flow.Budget, callers, fn), func(fn *ssa.Function) bool { return !c.locks.Entered(fn) })
}

// started reports whether a function is started as a goroutine.
func (c *checker) started(fn *ssa.Function) bool {
	return slices.ContainsFunc(c.p.Callers().Sites(fn), func(site ssa.CallInstruction) bool { _, ok := site.(*ssa.Go); return ok })
}

// excusedBare reports whether a rule says that a use without the lock is right, or that
// somebody may have the lock for it.
func (c *checker) excusedBare(u *use, g *guard, r *report) bool {
	says := func(by *verdict.Rule, holds bool, text string) bool {
		return holds && r.silent([]*use{u}, by, token.NoPos, text)
	}
	if by := promised(c.log, u); by != nil {
		return says(by, true, "it is used without the lock here")
	}
	way := c.way(u)
	in := func(is func(*ssa.Function) bool) bool { return slices.ContainsFunc(way, is) }
	callers := func(o *use) bool { return o.Pos == u.Pos && !o.exposed() }
	told := func(fn *ssa.Function) bool { return c.says(fn) != nil }
	switch {
	case says(anotherLock, u.holdsOther(g.held), "another lock is held"),
		says(callersDiffer, slices.ContainsFunc(g.all, callers), "a caller has the lock"),
		says(namedStart, in(starter), "it runs before others have the object, or makes the others"),
		says(namedEnd, in(func(fn *ssa.Function) bool { return lexicon.Concludes.Begins(fn.Name()) }), "it runs when others are done"),
		says(handedOn, c.handedOn(u), "who calls it cannot be seen"),
		says(lockLeft, u.mode == locks.Unknown && takenBehind(u) == nil && c.open(u), "others can have the lock while they call it"),
		says(throughAnother, u.mode == locks.Unknown && takenBehind(u) == nil && beside(u.lock) != "" && c.passed(u), "it comes from an object that somebody gets under the lock"),
		says(onlyGrows, handled(u) != changesIn && u.mode == locks.Unknown && takenBehind(u) == nil && !slices.ContainsFunc(g.held, c.takesOut), "elements are only added under the lock"),
		says(keepsOut, c.waited(u), "it has waited for others"),
		says(commentThere, c.commented(u), "a comment speaks of it"):
		return true
	}
	return in(told)
}

// way are the functions that lead to a use, without literals.
func (c *checker) way(u *use) []*ssa.Function {
	var list []*ssa.Function
	for acc := u.Access; acc != nil; acc = acc.Of {
		list = append(list, outermost(acc.Instr.Parent()))
	}
	return list
}

// starter reports whether the work of an object or a program begins with a function.
func starter(fn *ssa.Function) bool {
	return lexicon.Early.Begins(fn.Name()) || lexicon.Starts.Begins(fn.Name()) || fn.Name() == "main" && fn.Parent() == nil
}

// holdsOther reports whether another lock is held at a use, or may be, where that is held
// under the right lock as well.
func (u *use) holdsOther(held []*use) bool {
	for r, m := range u.Held {
		switch {
		case r == u.lock:
		case m == locks.Reading, m == locks.Writing:
			return true
		case m == locks.Mixed && slices.ContainsFunc(held, func(o *use) bool { return o.holdsToo(path.Base(dots(r.Path))) }):
			return true
		}
	}
	return false
}

// holdsToo reports whether a lock of the name is or may be held at a use beside the right one.
func (u *use) holdsToo(name string) bool {
	for r, m := range u.Held {
		if r != u.lock && path.Base(dots(r.Path)) == name && (m == locks.Writing || m == locks.Reading || m == locks.Mixed) {
			return true
		}
	}
	return false
}

// handedOn reports whether code that cannot be seen may call the function that answers for a use
// under the lock: the function is a value, or a method by which std asks an object for something
// while somebody has the lock. Goroutines and what serves requests begin without any lock.
func (c *checker) handedOn(u *use) bool {
	fn := u.f.SSA
	if c.started(fn) || serves(fn.Signature) {
		return false
	}
	return fn.Parent() != nil || len(c.p.Callers().Values(fn)) > 0 || lexicon.Fills[fn.Name()] || lexicon.CalledBack[fn.Name()] && (c.open(u) || c.boxed(u))
}

// serves reports whether a function is one that serves HTTP requests.
func serves(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if known.IsType(known.Pointee(v.Type()), "net/http", "Request") {
			return true
		}
	}
	return false
}

// open reports whether who calls a function can have the lock although nobody is seen: the
// type exports it, or some function of the package returns with it.
func (c *checker) open(u *use) bool {
	if owner := c.locks.Owner(u.lock); u.lock.Path != "" && owner != nil && ast.IsExported(outermost(u.f.SSA).Name()) {
		method, _, _ := types.LookupFieldOrMethod(owner, true, u.f.SSA.Pkg.Pkg, "Lock")
		if ast.IsExported(path.Base(dots(u.lock.Path))) || method != nil {
			return true
		}
	}
	return slices.ContainsFunc(c.locks.Funcs, func(f *locks.Func) bool {
		return c.locks.Entered(f.SSA) && slices.ContainsFunc(f.Leaves(), func(r locks.Ref) bool { return c.alike(r, u.lock) })
	})
}

// passed reports whether a function value, or a method of an interface, gets such an object as
// leads to the lock while the lock is held.
func (c *checker) passed(u *use) bool {
	of := known.Pointee(u.Place.Root.Type())
	isSuch := func(v ssa.Value) bool {
		if made, ok := v.(*ssa.MakeInterface); ok {
			v = made.X
		}
		return types.Identical(known.Pointee(v.Type()), of)
	}
	return c.underLock(u, func(i ssa.Instruction) bool {
		call, ok := i.(*ssa.Call)
		return ok && call.Call.StaticCallee() == nil && c.p.Body(&call.Call) == nil && slices.ContainsFunc(call.Call.Args, isSuch)
	})
}

// boxed reports whether an object through which one comes to the object of a use is put into an
// interface while the lock is held: what gets that may call the methods of both.
func (c *checker) boxed(u *use) bool {
	return c.underLock(u, func(i ssa.Instruction) bool {
		switch i := i.(type) {
		case *ssa.MakeInterface:
			return mayHold(i.X.Type(), u.Place.Root.Type(), map[types.Type]bool{})
		case *ssa.ChangeInterface:
			return mayHold(i.X.Type(), u.Place.Root.Type(), map[types.Type]bool{})
		}
		return false
	})
}

// underLock reports whether the lock of a use, or one alike, is held at such an instruction.
func (c *checker) underLock(u *use, such func(ssa.Instruction) bool) bool {
	return slices.ContainsFunc(c.locks.Funcs, func(f *locks.Func) bool {
		for i := range flow.Instrs(f.SSA) {
			if !such(i) {
				continue
			}
			for r, m := range f.Held(i) {
				if (m == locks.Writing || m == locks.Reading) && c.alike(r, u.lock) {
					return true
				}
			}
		}
		return false
	})
}

// mayHold reports whether a value of type t can have one of the type to in it, or points to one.
func mayHold(t, to types.Type, seen map[types.Type]bool) bool {
	if types.Identical(known.Pointee(t), known.Pointee(to)) {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return types.Implements(to, u)
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(u.Fields()), func(f *types.Var) bool { return mayHold(f.Type(), to, seen) })
	case *types.Map:
		return mayHold(u.Key(), to, seen) || mayHold(u.Elem(), to, seen)
	case interface{ Elem() types.Type }: // a pointer, a slice, an array, a channel
		return mayHold(u.Elem(), to, seen)
	}
	return false
}

// alike reports whether two locks are the same field of objects of one type, or the same.
func (c *checker) alike(a, b locks.Ref) bool {
	return a == b || a.Path != "" && b.Path != "" && path.Base(dots(a.Path)) == path.Base(dots(b.Path)) && c.locks.Owner(a) == c.locks.Owner(b)
}

// takesOut reports whether a use takes elements out under the lock, or puts another map or
// slice in the place: what is only filled may be full when it is read.
func (c *checker) takesOut(u *use) bool {
	if !u.Write || u.mode != locks.Writing || slices.ContainsFunc(c.way(u), starter) {
		return false
	}
	switch i := origin(u.Access).Instr.(type) {
	case *ssa.Call:
		return true // delete, clear
	case *ssa.Store:
		k, empty := i.Val.(*ssa.Const)
		return !grown(i.Val) && !(empty && !k.IsNil()) && !slices.ContainsFunc(flow.Conditions(i.Block()), func(cond flow.Condition) bool { return c.isUnset(cond, i.Addr) })
	}
	return false
}

// grown reports whether a slice is another one with elements behind it.
func grown(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "append"
}

// isUnset reports whether a condition says that a place is nil.
func (c *checker) isUnset(cond flow.Condition, addr ssa.Value) bool {
	b, ok := cond.Value.(*ssa.BinOp)
	if !ok || (b.Op == token.EQL) != cond.Holds {
		return false
	}
	k, ok := b.Y.(*ssa.Const)
	return ok && k.IsNil() && c.locks.Place(b.X) == c.locks.Place(addr)
}

// waited reports whether a function on the way to a use waits for others before.
func (c *checker) waited(u *use) bool {
	for acc := u.Access; acc != nil; acc = acc.Of {
		fl := u.f.Flow()
		for i := range flow.Instrs(acc.Instr.Parent()) {
			if _, chosen := i.(*ssa.Select); !chosen && awaits(i) && fl.Dominates(i, acc.Instr) && !fl.Reaches(i, i) {
				return true
			}
		}
	}
	return false
}

// commented reports whether a comment above the use speaks of what goroutines do at a time.
func (c *checker) commented(u *use) bool {
	for _, file := range c.p.Pass.Files {
		if u.Pos < file.FileStart || u.Pos >= file.FileEnd {
			continue
		}
		at := line(c.p, u.Pos)
		return slices.ContainsFunc(file.Comments, func(g *ast.CommentGroup) bool {
			end := line(c.p, g.End())
			return end >= at-2 && end < at && lexicon.OfGoroutines.MatchString(g.Text())
		})
	}
	return false
}

// unguarded reports a use of elements without the lock.
func (r *report) unguarded(b bareUse, g *guard) {
	f := g.about(b.use)
	in := outermost(b.In)
	f.Func, f.Variant, f.Severity = memory.FuncName(in), "unguarded", finding.Warning
	f.Pos, f.End = extent(b.In, b.Pos)
	by := memory.FuncName(outermost(b.f.SSA))
	if r.has(f) || slices.ContainsFunc(r.list, func(o *finding.Finding) bool { return (o.Func == f.Func || o.Func == by) && r.locks[o] == g.lock }) {
		return
	}
	name, sees := b.Var.Name(), "it may read elements that are no longer or not yet there"
	if _, ok := b.Var.Type().Underlying().(*types.Map); ok {
		sees = "Go ends the program when a map is used and changed at a time"
		if b.does != looksInto && !b.half {
			f.Severity = finding.Error
		}
	}
	f.NoFix = "who calls the function may have the lock one day, and would wait for itself"
	f.Sentence = fmt.Sprintf("%s %s %s without %s, under which %s changes it: %s", f.Func, b.does, name, g.lock, memory.FuncName(outermost(b.writer.f.SSA)), sees)
	f.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: b.writer.seenFrom(b.use), Does: "holds " + g.lock + " and changes " + b.writer.Place.String(), Memory: "half of the change of A"},
		{Actor: "goroutine B", Pos: b.Pos, Does: b.does.String() + " " + name + " at the same time", Memory: "the change of A, of which B has seen a part"},
	}
	r.keep(f, g)
}
