package latelock

import (
	"fmt"
	"go/ast"
	"go/types"
	"path"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/verdict"
)

// asides reports looks at a place without its lock which prove by themselves that a change can
// come at the same time, however few functions use the place: another goroutine makes the change,
// or another call of the same function.
func (c *checker) asides(k *pair, s *sides, r *report) {
	for _, u := range slices.Concat(s.looks, s.apart) {
		o, by := c.against(u, k, s)
		if o == nil || !c.log.Asks(by) || outermost(u.In).Name() == "main" {
			continue
		}
		g := &guard{c.log, k.lock, c.declared[u.Var].pos, k.uses, s.held, true, nil}
		r.aside(u, o, g, by)
	}
	for _, u := range s.wrong {
		i := slices.IndexFunc(s.held, func(o *use) bool { return c.takesAlone(u, o, k) })
		if i < 0 || tooLate(u) == nil || usedBeside(u, k) || !c.log.Asks(onlySection) || outermost(u.In).Name() == "main" {
			continue
		}
		r.leftOut(u, s.held[i], &guard{c.log, k.lock, c.declared[u.Var].pos, k.uses, s.held, true, nil})
	}
}

// against is a change under the lock that can come at the time of a look, and the rule that says
// so; nil for none.
func (c *checker) against(u *use, k *pair, s *sides) (*use, *verdict.Rule) {
	for _, o := range s.held {
		if !o.Write || o.mode != locks.Writing || promised(c.log, o) != nil {
			continue
		}
		switch {
		case c.signals(o, u):
			return o, signalled
		case c.elsewhere(o, u):
			return o, noCommonLock
		case c.hands(u, o) && len(s.held) > 0 && functions(s.held) == functions(k.uses)-1:
			return o, handedOver
		case c.takesAlone(u, o, k) && !decidedAgain(u, o, s.held):
			return o, onlySection
		}
	}
	return nil, nil
}

// signals reports whether the function of a change tells that of a look, by a channel of the
// object, that it has to end or to go on: the look is made in each round of a loop that waits for
// the channel. No goroutine tells itself.
func (c *checker) signals(o, u *use) bool {
	look := origin(u.Access)
	fl, in := u.f.Flow(), look.Instr.Parent()
	if !u.exposed() || !fl.Reaches(look.Instr, look.Instr) || !c.goesBy(u) || outermost(o.f.SSA) == outermost(in) {
		return false
	}
	awaited := c.channels(in, func(i ssa.Instruction) []ssa.Value {
		if !fl.Reaches(i, look.Instr) || !fl.Reaches(look.Instr, i) || fl.Dominates(i, look.Instr) {
			return nil // what was changed before the signal is seen behind it
		}
		return received(i)
	})
	return len(awaited) > 0 && slices.ContainsFunc(c.channels(o.f.SSA, sent), func(ch locks.Ref) bool {
		return slices.ContainsFunc(awaited, func(w locks.Ref) bool { return w.Root == look.Place.Root && c.alike(w, ch) })
	})
}

// channels are the places of the channels that instructions of a function use.
func (c *checker) channels(fn *ssa.Function, used func(ssa.Instruction) []ssa.Value) []locks.Ref {
	var list []locks.Ref
	for i := range flow.Instrs(fn) {
		for _, ch := range used(i) {
			if at := c.locks.Place(ch); at.Path != "" {
				list = append(list, at)
			}
		}
	}
	return list
}

// received are the channels from which an instruction waits for something.
func received(i ssa.Instruction) []ssa.Value {
	var list []ssa.Value
	switch i := i.(type) {
	case *ssa.Select:
		for _, st := range i.States {
			if st.Dir == types.RecvOnly {
				list = append(list, st.Chan)
			}
		}
	case *ssa.UnOp:
		if _, ok := i.X.Type().Underlying().(*types.Chan); ok {
			list = append(list, i.X)
		}
	}
	return list
}

// sent are the channels that an instruction closes, or sends something to.
func sent(i ssa.Instruction) []ssa.Value {
	switch i := i.(type) {
	case *ssa.Send:
		return []ssa.Value{i.Chan}
	case *ssa.Call:
		if b, ok := i.Call.Value.(*ssa.Builtin); ok && b.Name() == "close" {
			return i.Call.Args
		}
	}
	return nil
}

// elsewhere reports whether a look under another lock can meet a change that a goroutine makes
// with nothing but the right one: they have no lock in common. The function of the look has
// something done under the right one later.
func (c *checker) elsewhere(o, u *use) bool {
	if u.Of != nil || !u.exposed() || !holdsAny(u) || !c.goesBy(u) {
		return false
	}
	visits := func(ev *locks.Event) bool { return c.alike(ev.Lock, u.lock) && u.f.Flow().Reaches(u.Instr, ev.Instr) }
	if !slices.ContainsFunc(u.f.Visits, visits) {
		return false
	}
	return slices.ContainsFunc(c.entries(o.f.SSA), func(fn *ssa.Function) bool {
		f := c.locks.Of(fn)
		return f != nil && c.started(fn) && slices.ContainsFunc(f.Accesses, func(acc *locks.Access) bool {
			return origin(acc) == origin(o.Access) && c.nothingBut(acc, o.lock)
		})
	})
}

// hands reports whether a look is for a call which takes the lock, and is given what was seen: a
// change by another function can come before it has the lock.
func (c *checker) hands(u, o *use) bool {
	if u.Of != nil || !u.exposed() || outermost(o.f.SSA) == outermost(u.f.SSA) {
		return false
	}
	ev := visited(u)
	if ev == nil {
		return false
	}
	call, ok := ev.Instr.(*ssa.Call)
	seen, isValue := u.Instr.(ssa.Value)
	return ok && isValue && slices.Contains(call.Call.Args, seen) && c.meets(u, o)
}

// nothingBut reports whether a lock, or that of another object of the type, is all that is held
// at an access.
func (c *checker) nothingBut(acc *locks.Access, lock locks.Ref) bool {
	for r, m := range acc.Held {
		if m != locks.Free && m != locks.Unknown && !c.alike(r, lock) {
			return false
		}
	}
	return true
}

// takesAlone reports whether no function takes the lock but the one of a look, which makes the
// change, too: the lock is there for two calls of it.
func (c *checker) takesAlone(u, o *use, k *pair) bool {
	in := outermost(u.f.SSA)
	if u.Of != nil || outermost(o.f.SSA) != in || !outside(u) || c.parted(u) || c.p.Callers().Goroutine(in) != nil || starter(in) {
		return false
	}
	if taken(u) != nil && !severalWords(u.Var.Type()) {
		return false
	}
	if exported := ast.IsExported(k.lock) && (k.owner == "" || ast.IsExported(k.owner)); exported {
		return false
	}
	by := c.takers()[names{owner: k.owner, lock: k.lock}]
	return len(by) == 1 && by[in]
}

// severalWords reports whether a value of a type is read in several steps, so that a part of an
// older one can be read together with a part of a newer one.
func severalWords(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Slice, *types.Struct, *types.Interface, *types.Array:
		return true
	case *types.Basic:
		return t.Info()&types.IsString != 0
	}
	return false
}

// decidedAgain reports whether the function looks once more under the lock, before it makes the
// change.
func decidedAgain(u, o *use, held []*use) bool {
	return taken(u) != nil && slices.ContainsFunc(held, func(h *use) bool {
		return !h.Write && h.f == u.f && h.f == o.f && h.Instr != o.Instr && h.f.Flow().Dominates(h.Instr, o.Instr)
	})
}

// takers are the functions that take a lock, by the struct that it is in and its name.
func (c *checker) takers() map[names]map[*ssa.Function]bool {
	if c.taken != nil {
		return c.taken
	}
	c.taken = map[names]map[*ssa.Function]bool{}
	for _, f := range c.locks.Funcs {
		for _, ev := range f.Events {
			if !takes(ev) {
				continue
			}
			n := names{lock: ev.Lock.Root.Name()}
			if ev.Lock.Path != "" {
				n.lock = path.Base(dots(ev.Lock.Path))
				if owner := c.locks.Owner(ev.Lock); owner != nil {
					n.owner = c.typeName(owner)
				}
			}
			if c.taken[n] == nil {
				c.taken[n] = map[*ssa.Function]bool{}
			}
			c.taken[n][outermost(f.SSA)] = true
		}
	}
	return c.taken
}

// usedBeside reports whether another function uses the place, for more than to make it anew.
func usedBeside(u *use, k *pair) bool {
	return slices.ContainsFunc(k.uses, func(o *use) bool {
		if outermost(o.f.SSA) == outermost(u.f.SSA) {
			return false
		}
		st, ok := origin(o.Access).Instr.(*ssa.Store)
		if !ok {
			return true
		}
		_, made := st.Val.(*ssa.MakeMap)
		return !made
	})
}

// leftOut reports a change without the lock that its own function takes to look.
func (r *report) leftOut(u, o *use, g *guard) {
	if r.told(&finding.Finding{Func: memory.FuncName(u.f.SSA), Variant: "after"}, g) {
		return
	}
	f := g.about(u)
	f.Variant, f.Severity = "after", finding.Warning
	f.Pos, f.End = extent(u.In, u.site())
	if r.has(f) {
		return
	}
	f.NoFix = "how much of the function has to come under the lock is for its author to say"
	f.Evidence = append(f.Evidence, finding.Evidence{Pos: o.Pos, Text: fmt.Sprintf("it looks at it under %s, which no other function takes", o.lock)})
	f.Sentence = fmt.Sprintf("%s changes %s without %s, under which it has looked at it: another call of it looks while the change is half done", f.Func, u.Place, u.lock)
	f.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: u.Pos, Does: "changes " + u.Place.String() + " without the lock", Memory: "half of the change of A"},
		{Actor: "goroutine B", Pos: o.Pos, Does: "holds " + o.lock.String() + " and looks at it at the same time", Memory: "the change of A, of which B has seen a part"},
	}
	r.keep(f, g)
	if r.log.Keeps() {
		r.candidate(f).Says(onlySection, u.Pos, onlySection.Why)
	}
}

// aside reports a look without the lock.
func (r *report) aside(u, o *use, g *guard, by *verdict.Rule) {
	fn := memory.FuncName(outermost(u.In))
	if r.told(&finding.Finding{Func: fn, Variant: "look"}, g) {
		return
	}
	f := g.about(u)
	f.Func, f.Variant, f.Severity = fn, "look", finding.Warning
	f.Pos, f.End = extent(u.In, u.Pos)
	if r.has(f) {
		return
	}
	place, lock := origin(u.Access).Place.String(), g.lock
	f.NoFix = "what depends on the look has to move under the lock with it"
	who := "another call of it"
	if outermost(o.f.SSA) != outermost(u.In) {
		who = memory.FuncName(outermost(o.f.SSA))
	}
	f.Evidence = append(f.Evidence, finding.Evidence{Pos: o.seenFrom(u), Text: fmt.Sprintf("%s changes it under %s", who, o.lock)})
	f.Sentence = fmt.Sprintf("%s looks at %s without %s, under which %s changes it at the same time: what it goes by may be half changed, or no longer so", f.Func, place, lock, who)
	f.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: o.seenFrom(u), Does: "holds " + o.lock.String() + " and changes " + o.Place.String(), Memory: "half of the change of A"},
		{Actor: "goroutine B", Pos: u.Pos, Does: "looks at " + place + " at the same time", Memory: "the change of A, of which B has seen a part"},
	}
	r.keep(f, g)
	if r.log.Keeps() {
		r.candidate(f).Says(by, u.Pos, by.Why)
	}
}
