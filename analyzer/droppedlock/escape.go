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
	"github.com/lockvet/lockvet/internal/verdict"
)

// unasked reports whether nobody looks at whether l has taken its lock: at its
// error, or at the answer of a call that tries.
func unasked(l *effects.Effect) bool {
	call, ok := l.At.(*ssa.Call)
	if !ok || len(l.Via) > 0 || l.Foreign != "" {
		return false
	}
	if !l.Try {
		return l.Dropped && memory.ReturnsError(call.Call.Signature())
	}
	return !slices.ContainsFunc(effects.AnswersOf(call), func(v ssa.Value) bool { return len(flow.Uses(v)) > 0 })
}

// lost reports whether f opens a file, locks it, and goes on or returns with nothing
// that keeps it: the garbage collector closes it, and closing it unlocks it. What the
// rules say against that is noted of the candidate.
func (c *checker) lost(f *effects.Func, l *effects.Effect, look *verdict.Candidate) bool {
	call, ok := l.At.(*ssa.Call)
	if !ok || l.When != effects.Inline || l.Handle == nil {
		return false
	}
	k := &escape{p: c.p, f: f, lock: l, call: call}
	v := k.opened()
	if v == nil || k.escapes(v) || k.released(look) {
		return false
	}
	asks := lexicon.AsksForLock(memory.Outermost(f.SSA).Name())
	return !(asks && look.Says(asksOnly, l.Pos, "the function asks for the lock by its name"))
}

// An escape follows one lock through the function that takes it.
type escape struct {
	p    *failure.Package
	f    *effects.Func
	lock *effects.Effect
	call *ssa.Call
}

// opened is the open file or lock that the function itself makes.
func (k *escape) opened() ssa.Value {
	key := k.lock.Handle.File().Key()
	for i := range flow.Instrs(k.f.SSA) {
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
	return nil
}

// collectable reports whether a value of the type holds an open file that the
// garbage collector closes. Locks that hold a bare descriptor are not closed.
func collectable(t types.Type) bool {
	switch types.TypeString(t, nil) {
	case "*os.File", "*github.com/gofrs/flock.Flock", "*github.com/theckman/go-flock.Flock":
		return true
	}
	return false
}

// escapes reports whether something other than the calls of its methods has the
// value.
func (k *escape) escapes(v ssa.Value) bool {
	return slices.ContainsFunc(flow.Uses(v), func(ref ssa.Instruction) bool {
		switch r := ref.(type) {
		case *ssa.BinOp, *ssa.DebugRef:
			return false
		case *ssa.MakeInterface:
			return k.escapes(r)
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

// released reports whether something else releases the lock, or the function does it
// wherever it comes to its end well.
func (k *escape) released(look *verdict.Candidate) bool {
	var releases []ssa.Instruction
	for _, e := range k.f.OfKind(effects.Unlock, effects.Close) {
		if !e.On(k.lock.Handle) && !effects.SameLock(e, k.lock) {
			continue
		}
		if (e.When != effects.Inline || e.At == k.lock.At) && look.Says(released, e.Pos, "it releases the lock") {
			return true
		}
		releases = append(releases, e.At)
	}
	met := false
	held := flow.Search{Edge: k.goesOn, At: func(i ssa.Instruction) flow.Step {
		if slices.Contains(releases, i) {
			met = true
			return flow.Stop
		}
		if r, ok := i.(*ssa.Return); ok && k.endsWell(r) {
			return flow.Found
		}
		return flow.Go
	}}.After(k.p.Flow, k.call)
	return met && !held && look.Says(released, k.lock.Pos, "the function releases it wherever it ends well")
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

// endsWell reports whether a return says that the lock is there.
func (k *escape) endsWell(r *ssa.Return) bool {
	err := memory.ErrorOf(r)
	return err == nil || memory.Succeeds(r) || memory.CallBehind(err) == k.call
}
