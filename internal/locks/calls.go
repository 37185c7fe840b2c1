package locks

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
)

// call applies a call to st: of a lock's method, of a literal, of a function of
// the package, of a function that takes or lets go of a lock.
func (a *transfer) call(i ssa.Instruction, c *ssa.CallCommon, st *state, deferred bool) {
	body, args := a.s.target(c)
	if ev := a.s.lockCall(c); ev != nil {
		a.lockOp(ev, i, c, st)
		if body != nil { // a method of the package, which may wrap another lock
			a.splice(body, args, i, st, deferred)
		}
		return
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		a.builtin(b.Name(), i, c, st)
		return
	}
	if body != nil {
		a.splice(body, args, i, st, deferred)
		return
	}
	if _, value := c.Value.(*ssa.Function); !value && !c.IsInvoke() && len(c.Args) == 0 {
		st.loseHeld() // the value may be a function that lets go of a lock
	}
	a.callbacks(i, c, st, deferred)
	for _, arg := range c.Args {
		a.escape(arg, c, st)
	}
}

// escape applies that a lock goes to code that cannot be seen, which may take it or
// let go of it. That of std does not.
func (a *transfer) escape(v ssa.Value, c *ssa.CallCommon, st *state) {
	if fn := c.StaticCallee(); fn != nil && fn.Object() != nil && known.Path(fn.Object()) == "sync" {
		return
	}
	_, isPointer := v.Type().Underlying().(*types.Pointer)
	if r := a.s.ref(v); st.held[r].Mode != Unknown && (isPointer || types.IsInterface(v.Type())) {
		st.lose(r)
	}
}

// lockOp applies a call of a lock's method. Who waits for a lock in vain does
// not hold it: no goroutine takes a lock that it holds.
func (a *transfer) lockOp(ev *Event, i ssa.Instruction, c *ssa.CallCommon, st *state) {
	before := st.stateOf(ev.Lock)
	result := tells(c.Signature())
	ev.Cancellable = ev.Mode != Free && result >= 0
	a.event(ev, i, st)
	if !ev.Cancellable {
		return
	}
	fail := before
	if !ev.tried {
		fail.Mode = Free
	}
	a.wait(ev.Lock, i, pending{result: result, ok: st.stateOf(ev.Lock), fail: fail}, st)
}

// wait makes how a lock stands depend on the outcome of a call; that of a
// deferred one is tested nowhere.
func (a *transfer) wait(r Ref, i ssa.Instruction, p pending, st *state) {
	if v, isValue := i.(ssa.Value); isValue {
		p.call = v
		st.wait(r, p)
		return
	}
	st.lose(r)
}

// builtin notes what append, copy, delete and clear do: they change what their
// first argument was loaded from.
func (a *transfer) builtin(name string, i ssa.Instruction, c *ssa.CallCommon, st *state) {
	switch name {
	case "delete", "clear", "copy":
		a.access(c.Args[0], true, i, i.Pos(), nil, st)
	}
}

// callbacks are literals handed to code that cannot be seen. Those of std are
// called at once, if at all, but for the few that keep them.
func (a *transfer) callbacks(i ssa.Instruction, c *ssa.CallCommon, st *state, deferred bool) {
	callee := c.StaticCallee()
	if callee != nil && callee.Origin() != nil {
		callee = callee.Origin()
	}
	now := callee != nil && callee.Object() != nil && atOnce(callee.Object())
	for _, arg := range c.Args {
		if fn, receiver := a.s.function(arg); fn != nil && (now || isLoop(fn)) {
			without := st.clone()
			a.splice(fn, receiver, i, st, deferred)
			st.join(without)
		}
	}
}

// isLoop reports whether a function is the body of a loop over a function.
func isLoop(fn *ssa.Function) bool { return strings.HasPrefix(fn.Synthetic, "range-over-func") }

func atOnce(fn types.Object) bool {
	switch known.Path(fn) {
	case "sort", "slices", "maps", "strings", "bytes", "path/filepath", "io/fs":
		return true
	case "sync":
		return fn.Name() == "Do" || fn.Name() == "Range"
	}
	return false
}

// splice puts what a function of the package does in the place of its call.
func (a *transfer) splice(callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state, deferred bool) {
	f := a.s.fn(callee)
	if f == nil {
		return
	}
	a.s.flow.Spend(1 + len(f.net))
	c := &Call{Caller: a.f, Instr: i, Deferred: deferred, Held: st.modes(), callee: callee, args: args}
	if a.out {
		a.f.calls = append(a.f.calls, c)
	}
	for _, l := range f.net {
		if low, ok := a.s.lowered(l.lock, c); ok {
			a.applyLeft(l, low, c, st)
		}
	}
}

// applyLeft applies how a callee leaves a lock, which the caller calls low.
func (a *transfer) applyLeft(l left, low Ref, c *Call, st *state) {
	a.roots[low.Root] = true
	before := st.stateOf(low)
	ev := &Event{Lock: low, Mode: l.ok.Mode, tried: l.tried}
	switch {
	case l.ok != l.fail:
		if l.ok.turn == 0 {
			ev.Mode = l.fail.Mode
		}
		ev.Cancellable = true
		a.event(ev, c.Instr, st)
		last := c.callee.Signature.Results().Len() - 1
		a.wait(low, c.Instr, pending{result: last, ok: l.ok.after(before), fail: l.fail.after(before)}, st)
	case l.ok.turn != 0:
		a.event(ev, c.Instr, st)
		st.stand(low, l.ok.after(before))
	default:
		st.stand(low, l.ok.after(before))
	}
}
