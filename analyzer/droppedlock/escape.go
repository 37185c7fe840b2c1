package droppedlock

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// lost reports whether f takes the lock of l and goes on, or returns, with
// nothing that keeps it: the open file behind it is closed by the garbage
// collector, and closing it unlocks it. l is an effect of f itself, or of a
// function that hands the lock to f.
func (c *checker) lost(f *effects.Func, l *effects.Effect) bool {
	call, ok := l.At.(*ssa.Call)
	if !ok || l.Kind != effects.Lock || l.When != effects.Inline {
		return false
	}
	k := &escape{p: c.p, f: f, lock: l, call: call}
	look := func(r *verdict.Rule, e *effects.Effect, text string) bool {
		return c.candidate(f, l).Is("collected").Says(r, e.Pos, text)
	}
	if n := k.handed(); n >= 0 {
		if !k.dropsResult(n) {
			return false
		}
		other := k.freed()
		return other == nil || !look(released, other, "something else releases it")
	}
	return k.local(look)
}

// An escape follows one lock through the function that takes it.
type escape struct {
	p    *failure.Package
	f    *effects.Func
	lock *effects.Effect
	call *ssa.Call
}

// local reports whether a lock that is opened in the function itself is lost.
func (k *escape) local(look func(*verdict.Rule, *effects.Effect, string) bool) bool {
	v := k.opened()
	return v != nil && !k.escapes(v, map[ssa.Value]bool{}) && k.escapesUnreleased(look)
}

// opened is the open file or lock that the function itself makes.
func (k *escape) opened() ssa.Value {
	if k.lock.Handle == nil {
		return nil
	}
	key := k.lock.Handle.File().Key()
	for _, b := range k.f.SSA.Blocks {
		for _, i := range b.Instrs {
			v, ok := i.(ssa.Value)
			if !ok {
				continue
			}
			call := memory.CallBehind(v)
			if call == nil || !collectable(v.Type()) || k.p.Term(v).File().Key() != key {
				continue
			}
			switch row, _ := known.Lookup(k.p.CalleeOf(&call.Call)); row.Op {
			case known.Create, known.OpenFile, known.Open, known.NewLock:
				return v
			}
		}
	}
	return nil
}

// collectable reports whether a value of the type holds an open file that the
// garbage collector closes. Locks that hold a bare descriptor are not closed.
func collectable(t types.Type) bool {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(ptr.Elem()).(*types.Named)
	if !ok {
		return false
	}
	switch known.Path(named.Obj()) + "." + named.Obj().Name() {
	case "os.File", "github.com/gofrs/flock.Flock", "github.com/theckman/go-flock.Flock":
		return true
	}
	return false
}

// escapes reports whether something other than the calls of its methods has the
// value.
func (k *escape) escapes(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	return slices.ContainsFunc(flow.Uses(v), func(ref ssa.Instruction) bool {
		switch r := ref.(type) {
		case *ssa.BinOp, *ssa.DebugRef:
			return false
		case *ssa.Phi:
			return k.escapes(r, seen)
		case *ssa.MakeInterface:
			return k.escapes(r, seen)
		case *ssa.ChangeInterface:
			return k.escapes(r, seen)
		case *ssa.Call:
			return !k.borrows(&r.Call, v) && !(r == k.call && k.isLockHelper())
		case *ssa.Defer:
			return !k.borrows(&r.Call, v)
		}
		return true
	})
}

// borrows reports whether a call that gets the value gives it back: a method or a
// function of the tables.
func (k *escape) borrows(call *ssa.CallCommon, v ssa.Value) bool {
	fn := k.p.CalleeOf(call)
	if fn == nil {
		return false
	}
	args := memory.CallArgs(call)
	if effects.IsMethod(fn) && len(args) > 0 && args[0] == v {
		return fn.Name() != "SyscallConn"
	}
	row, ok := known.Lookup(fn)
	return ok && row.Op != known.Wrap
}

// isLockHelper reports whether the call that locks is a helper that returns nothing
// but an error, and so gives the value back.
func (k *escape) isLockHelper() bool {
	res := k.call.Call.Signature().Results()
	return res.Len() == 0 || res.Len() == 1 && memory.IsErrorType(res.At(0).Type())
}

// escapesUnreleased reports whether the function can come to its end with the
// lock, or never releases it.
func (k *escape) escapesUnreleased(look func(*verdict.Rule, *effects.Effect, string) bool) bool {
	release := map[*ssa.BasicBlock]bool{}
	for _, e := range k.f.Effects {
		if e.Kind != effects.Unlock && e.Kind != effects.Close || !e.On(k.lock.Handle) && !effects.SameLock(e, k.lock) {
			continue
		}
		if e.When == effects.Inline && e.At != k.lock.At {
			release[e.At.Block()] = true
		} else if !k.endsWithout(e.At) && look(released, e, "it releases the lock") {
			return false
		}
	}
	if lexicon.AsksForLock(memory.Outermost(k.f.SSA).Name()) && look(asksOnly, k.lock, "the function asks for the lock by its name") {
		return false
	}
	return !k.released(release) || !look(released, k.lock, "the function releases it wherever it ends well")
}

// endsWithout reports whether the function can come to its end well, once it has the lock,
// with no way through an instruction: then what is deferred there is not always done.
func (k *escape) endsWithout(at ssa.Instruction) bool {
	if at == k.lock.At || at.Parent() != k.call.Parent() || k.p.Flow.Dominates(at, k.call) {
		return false
	}
	return flow.Search{
		At: func(i ssa.Instruction) flow.Step {
			if i == at {
				return flow.Stop
			}
			if r, ok := i.(*ssa.Return); ok && k.endsWell(r) {
				return flow.Found
			}
			return flow.Go
		},
		Edge: k.goesOn,
	}.After(k.p.Flow, k.call)
}

// released reports whether the function releases the lock wherever it comes to
// its end well, once it has it.
func (k *escape) released(release map[*ssa.BasicBlock]bool) bool {
	let := false
	held := flow.Search{
		Block: func(b *ssa.BasicBlock) flow.Step {
			if release[b] && b != k.call.Block() {
				let = true
				return flow.Stop
			}
			return flow.Go
		},
		At: func(i ssa.Instruction) flow.Step {
			if r, ok := i.(*ssa.Return); ok && k.endsWell(r) {
				return flow.Found
			}
			return flow.Go
		},
		Edge: k.goesOn,
	}.After(k.p.Flow, k.call)
	return !held && let
}

// goesOn reports whether control can take an edge with the lock.
func (k *escape) goesOn(b *ssa.BasicBlock, n int) bool {
	branch := flow.BranchOf(b)
	if branch == nil {
		return true
	}
	without, ok := k.p.Denied(k.f, k.call, branch.Cond)
	return !ok || n != without
}

// endless reports whether f comes to no end but that of the process once it has the
// lock of l.
func endless(p *failure.Package, f *effects.Func, l *effects.Effect) bool {
	call, ok := l.At.(*ssa.Call)
	if !ok || f.SSA.Parent() != nil {
		return false
	}
	if f.SSA.Name() == "main" && f.SSA.Signature.Recv() == nil && p.Pass.Pkg.Name() == "main" {
		return true
	}
	k := &escape{p: p, f: f, lock: l, call: call}
	return !flow.Search{Edge: k.goesOn, At: func(i ssa.Instruction) flow.Step {
		if _, ok := i.(*ssa.Return); ok {
			return flow.Found
		}
		return flow.Go
	}}.After(p.Flow, call)
}

// endsWell reports whether a return says that the lock is there.
func (k *escape) endsWell(r *ssa.Return) bool {
	if err := memory.ErrorOf(r); err != nil {
		return memory.Succeeds(r) || memory.CallBehind(err) == k.call
	}
	return !failure.Declines(r)
}

// handed is the result of the call that has the lock, or the function that lets
// go of it; -1 where none has.
func (k *escape) handed() int {
	res := k.call.Call.Signature().Results()
	for n := range res.Len() {
		_, fn := res.At(n).Type().Underlying().(*types.Signature)
		if (fn || collectable(res.At(n).Type())) && k.yields(n, fn) {
			return n
		}
	}
	return -1
}

// yields reports whether result n of the call has the lock.
func (k *escape) yields(n int, fn bool) bool {
	if fn {
		return slices.ContainsFunc(k.p.OfCallingResult(k.call, n), func(e *effects.Effect) bool {
			return e.Kind == effects.Unlock || e.Kind == effects.Close
		})
	}
	t := k.p.CallTerm(&k.call.Call, k.call, n)
	return t != nil && t.File().Kind == pathexpr.Handle && memory.SameFile(t.File(), k.lock.Handle)
}

// dropsResult reports whether nobody looks at result n of the call.
func (k *escape) dropsResult(n int) bool {
	if k.call.Call.Signature().Results().Len() == 1 {
		return len(flow.Uses(k.call)) == 0
	}
	return !slices.ContainsFunc(flow.Uses(k.call), func(ref ssa.Instruction) bool {
		x, ok := ref.(*ssa.Extract)
		return !ok || x.Index == n && len(flow.Uses(x)) > 0
	})
}

// freed is what else in the function releases the lock, nil for nothing.
func (k *escape) freed() *effects.Effect {
	return first(k.f.Effects, func(e *effects.Effect) bool {
		return (e.Kind == effects.Unlock || e.Kind == effects.Close) && effects.SameLock(e, k.lock) && e.At != k.lock.At
	})
}

// first is the first of the effects for which ok holds, nil for none.
func first(list []*effects.Effect, ok func(*effects.Effect) bool) *effects.Effect {
	if i := slices.IndexFunc(list, ok); i >= 0 {
		return list[i]
	}
	return nil
}

// unasked reports whether nobody looks at whether l has taken its lock: at its
// error, or at the answer of a call that tries.
func unasked(p *failure.Package, l *effects.Effect) bool {
	call, ok := l.At.(*ssa.Call)
	if !ok || l.Kind != effects.Lock || len(l.Via) > 0 || l.Foreign != "" {
		return false
	}
	if !l.Try {
		res := call.Call.Signature().Results()
		return res.Len() > 0 && memory.IsErrorType(res.At(res.Len()-1).Type()) && l.Dropped
	}
	return !slices.ContainsFunc(effects.AnswersOf(call), func(v ssa.Value) bool { return len(flow.Uses(v)) > 0 })
}
