package latelock

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
)

// A shared is a variable of a function, or a field of one, that goroutines of the function share.
type shared struct {
	cell  *ssa.Alloc
	field int // -1 for the variable itself
}

// A touch is what a goroutine does with such a variable at one place.
type touch struct {
	pos   token.Pos
	does  handling
	write bool
	held  map[locks.Ref]locks.Mode
}

// localLocks reports whether a function has a mutex in a variable that literals share.
func localLocks(fn *ssa.Function) bool {
	for i := range flow.Instrs(fn) {
		if a, ok := i.(*ssa.Alloc); ok && known.IsMutex(known.Pointee(a.Type())) && len(fn.AnonFuncs) > 0 {
			return true
		}
	}
	return false
}

// besideGoroutines reports the variables that several goroutines, made of one literal, change
// under a lock of the function around it, and use without it. No goroutine waits for another
// there: they are started in a loop.
func (c *checker) besideGoroutines(r *report) {
	for _, f := range c.locks.Funcs {
		if f.SSA.Parent() == nil || !c.log.Asks(ownLock) {
			continue
		}
		start := c.startedInLoop(f.SSA)
		if start == nil {
			continue
		}
		touches, order := c.touches(f, start)
		for _, v := range order {
			if in, out := conflict(touches[v]); out != nil {
				r.besideGoroutine(c, f, v, in, out)
			}
		}
	}
}

// startedInLoop is where a literal is started as a goroutine, again and again; nil for nowhere.
func (c *checker) startedInLoop(lit *ssa.Function) ssa.CallInstruction {
	for _, i := range flow.Uses(lit) {
		mc, ok := i.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		for _, use := range flow.Uses(mc) {
			site, ok := use.(ssa.CallInstruction)
			if ok && c.p.Flow.Reaches(site, site) && startsGoroutine(site, mc) {
				return site
			}
		}
	}
	return nil
}

// startsGoroutine reports whether a call starts a literal as a goroutine: it is a go
// statement, or a method that is called so, as those of errgroup.Group and sync.WaitGroup.
func startsGoroutine(site ssa.CallInstruction, lit ssa.Value) bool {
	call := site.Common()
	if _, ok := site.(*ssa.Go); ok {
		return call.Value == lit
	}
	callee := call.StaticCallee()
	if callee == nil || callee.Signature.Recv() == nil || callee.Name() != "Go" || len(call.Args) != 2 || call.Args[1] != lit {
		return false
	}
	return known.IsType(known.Pointee(callee.Signature.Recv().Type()), "sync", "WaitGroup") || known.IsType(known.Pointee(callee.Signature.Recv().Type()), "golang.org/x/sync/errgroup", "Group")
}

// touches are what a literal does with the variables that it shares with the others which are
// started there: those that are made in front of the loop.
func (c *checker) touches(f *locks.Func, start ssa.CallInstruction) (map[shared][]touch, []shared) {
	list, order := map[shared][]touch{}, []shared(nil)
	for _, fv := range f.SSA.FreeVars {
		cell := cellOf(fv)
		if cell == nil || known.IsLock(known.Pointee(cell.Type())) || cell.Parent() == start.Parent() && c.p.Flow.Reaches(start, cell) {
			continue
		}
		add := func(field int, at, i ssa.Instruction, does handling, write bool) {
			v := shared{cell, field}
			if list[v] == nil {
				order = append(order, v)
			}
			list[v] = append(list[v], touch{at.Pos(), does, write, f.Held(i)})
		}
		touchesOf(fv, -1, add)
	}
	return list, order
}

// cellOf is the variable that a literal has captured, nil where that is not known.
func cellOf(v ssa.Value) *ssa.Alloc {
	for fv, ok := v.(*ssa.FreeVar); ok; fv, ok = v.(*ssa.FreeVar) {
		v = flow.Captured(fv)
	}
	a, _ := v.(*ssa.Alloc)
	return a
}

// touchesOf tells what is done with a variable at an address, and with the fields of one.
// Elements of a slice are not told: each goroutine may have its own.
func touchesOf(addr ssa.Value, field int, add func(field int, at, i ssa.Instruction, does handling, write bool)) {
	for _, i := range flow.Uses(addr) {
		switch i := i.(type) {
		case *ssa.Store:
			if i.Addr == addr {
				add(field, i, i, passesOn, true)
			}
		case *ssa.FieldAddr:
			if field < 0 {
				touchesOf(i, i.Field, add)
			}
		case *ssa.UnOp:
			if _, isMap := i.Type().Underlying().(*types.Map); !isMap {
				add(field, i, i, passesOn, false)
				continue
			}
			for _, use := range flow.Uses(i) {
				if does := handles(use, i); does != passesOn {
					add(field, i, use, does, does == changesIn)
				}
			}
		}
	}
}

// conflict is a change under a lock that is a variable of the function around, and the worst
// use with no lock at all; nil where there are not both.
func conflict(list []touch) (in, out *touch) {
	for n := range list {
		t := &list[n]
		switch local, any := t.holds(); {
		case local && t.write && in == nil:
			in = t
		case !any && (out == nil || t.write && !out.write || t.write == out.write && t.does > out.does):
			out = t
		}
	}
	if in == nil {
		return nil, nil
	}
	return in, out
}

// holds reports whether the goroutine has a lock that is a variable of the function, and
// whether it has, or may have, any.
func (t *touch) holds() (local, any bool) {
	for r, m := range t.held {
		if m == locks.Writing || m == locks.Reading || m == locks.Mixed {
			_, cell := r.Root.(*ssa.Alloc)
			local, any = local || cell && m == locks.Writing, true
		}
	}
	return local, any
}

// lock is the lock that is a variable of the function.
func (t *touch) lock() locks.Ref {
	refs := slices.DeleteFunc(locks.Sorted(t.held), func(r locks.Ref) bool {
		_, cell := r.Root.(*ssa.Alloc)
		return !cell || t.held[r] != locks.Writing
	})
	return refs[0]
}

// name is how a message calls the variable.
func (v shared) name() string {
	if v.field < 0 {
		return "the variable " + v.cell.Comment
	}
	return v.cell.Comment + "." + known.Pointee(v.cell.Type()).Underlying().(*types.Struct).Field(v.field).Name()
}

// captured is what a literal calls a lock that is a variable of the function around it.
func (c *checker) captured(lit *ssa.Function, r locks.Ref) string {
	for _, fv := range lit.FreeVars {
		if at := c.locks.Place(fv); at.Root == r.Root && at.Path == "" {
			return locks.Ref{Root: fv, Path: r.Path}.String()
		}
	}
	return r.String()
}

// besideGoroutine reports a variable that goroutines use without the lock that they have for it.
func (r *report) besideGoroutine(c *checker, f *locks.Func, v shared, in, out *touch) {
	fn, lock := outermost(f.SSA), c.captured(f.SSA, in.lock())
	x := &finding.Finding{Check: Name, Func: memory.FuncName(fn), Variant: "unguarded", Severity: finding.Warning}
	x.Pos, x.End = extent(f.SSA, out.pos)
	if r.has(x) {
		return
	}
	does, loses := "reads", "what it reads may be half changed"
	switch {
	case out.does != passesOn:
		does, loses = out.does.String(), "Go ends the program when a map is used and changed at a time"
		if out.does != looksInto {
			x.Severity = finding.Error
		}
	case out.write:
		does, loses = "changes", "one change can be lost"
	}
	x.Claim = fmt.Sprintf("guarded by %s elsewhere in the goroutine", lock)
	x.Evidence = []finding.Evidence{{Pos: in.pos, Text: "the goroutine changes it under " + lock + " here"}}
	x.NoFix = "how much of the goroutine has to come under the lock is for its author to say"
	x.Sentence = fmt.Sprintf("%s starts goroutines, each of which %s %s without %s, under which others of them change it: %s", x.Func, does, v.name(), lock, loses)
	x.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: in.pos, Does: "holds " + lock + " and changes " + v.name(), Memory: "half of the change of A"},
		{Actor: "goroutine B", Pos: out.pos, Does: does + " " + v.name() + " at the same time", Memory: "the change of A, of which B has seen a part"},
	}
	r.take(x, "")
	if r.log.Keeps() {
		r.candidate(x).Says(ownLock, in.pos, x.Evidence[0].Text)
	}
}

// hasLocalLocks reports whether a function of the package has a mutex in a variable.
func hasLocalLocks(p *effects.Package) bool {
	return slices.ContainsFunc(p.All(), func(f *effects.Func) bool { return localLocks(f.SSA) })
}
