package locks

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
)

// ops are the methods that lock and unlock, by their names: those of
// sync.Mutex and sync.RWMutex, which every lock follows.
var ops = map[string]Mode{
	"Lock": Writing, "TryLock": Writing, "RLock": Reading, "TryRLock": Reading, "Unlock": Free, "RUnlock": Free,
}

// lockCall is what a call of a lock's own method does, nil for any other call.
func (s *Package) lockCall(c *ssa.CallCommon) *Event {
	var fn *types.Func
	var recv ssa.Value
	if c.IsInvoke() {
		fn, recv = c.Method, c.Value
	} else if callee := c.StaticCallee(); callee != nil && callee.Signature.Recv() != nil && len(c.Args) > 0 {
		fn, _ = callee.Object().(*types.Func)
		recv = c.Args[0]
	}
	if fn == nil {
		return nil
	}
	if mode, ok := ops[fn.Name()]; ok && known.IsLock(recv.Type()) && len(c.Args)-bound(c) == 0 {
		return &Event{Lock: s.ref(recv), Mode: mode, tried: strings.HasPrefix(fn.Name(), "Try")}
	}
	return nil
}

// bound is the number of arguments that are the receiver.
func bound(c *ssa.CallCommon) int {
	if c.IsInvoke() {
		return 0
	}
	return 1
}

// acts is what a function value does to locks when it is called: a bound method
// of one, a literal, the result of a function of the package. Of what a variable holds that is
// assigned to more than once nothing is known.
func (s *Package) acts(v ssa.Value) map[Ref]Mode {
	switch v := v.(type) {
	case *ssa.ChangeType:
		return s.acts(v.X)
	case *ssa.UnOp:
		if cell := variable(v); cell != nil {
			if vals, all := s.stores(cell); all && len(vals) == 1 && vals[0] != ssa.Value(v) {
				return s.acts(vals[0])
			}
		}
	case *ssa.MakeClosure:
		if ev := s.boundCall(v); ev != nil {
			return map[Ref]Mode{ev.Lock: ev.Mode}
		}
		fn, receiver := s.function(v)
		return s.does(v.Parent(), fn, receiver)
	case *ssa.Function:
		fn, _ := s.function(v)
		return s.does(nil, fn, nil)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return s.returned(call, v.Index)
		}
	case *ssa.Call:
		return s.returned(v, 0)
	}
	return nil
}

// variable is the local variable that is loaded, nil for any other place.
func variable(load *ssa.UnOp) *ssa.Alloc {
	cell := load.X
	for fv, ok := cell.(*ssa.FreeVar); ok; fv, ok = cell.(*ssa.FreeVar) {
		cell = flow.Captured(fv)
	}
	a, _ := cell.(*ssa.Alloc)
	return a
}

// boundCall is what a bound method of a lock does, nil for any other.
func (s *Package) boundCall(v *ssa.MakeClosure) *Event {
	fn := v.Fn.(*ssa.Function)
	name, ok := strings.CutSuffix(fn.Name(), "$bound")
	mode, isOp := ops[name]
	if !ok || !isOp || len(v.Bindings) != 1 || !known.IsLock(v.Bindings[0].Type()) {
		return nil
	}
	if tells(fn.Signature) >= 0 && mode != Free {
		mode = Mixed
	}
	return &Event{Lock: s.ref(v.Bindings[0]), Mode: mode}
}

// does is what a function does to locks when it is called.
func (s *Package) does(caller, fn *ssa.Function, args []ssa.Value) map[Ref]Mode {
	if fn == nil {
		return nil
	}
	f := s.fn(fn)
	if f == nil {
		return nil
	}
	modes, c := map[Ref]Mode{}, &Call{Caller: &Func{SSA: caller}, callee: fn, args: args}
	for _, l := range f.net {
		low, known := s.lowered(l.lock, c)
		switch {
		case !known:
		case l.ok != l.fail:
			modes[low] = Mixed
		case l.ok.turn != 0:
			modes[low] = l.ok.mode
		}
	}
	return modes
}

// returned is what result i of a call does to locks when it is called.
func (s *Package) returned(call *ssa.Call, i int) map[Ref]Mode {
	body, args := s.target(&call.Call)
	if body == nil {
		return nil
	}
	modes, c := map[Ref]Mode{}, &Call{Caller: &Func{SSA: call.Parent()}, callee: body, args: args}
	for r, m := range s.lenders.Ask(resultOf{body, i}) {
		if low, ok := s.lowered(r, c); ok {
			modes[low] = m
		}
	}
	return modes
}

// lender is what a result of a function does to locks, in the function's own terms: what it
// does on each path where the function succeeds.
func (s *Package) lender(res resultOf) map[Ref]Mode {
	f := s.fn(res.fn)
	if f == nil {
		return nil
	}
	modes, n := map[Ref]Mode{}, 0
	count := map[Ref]int{}
	for _, x := range f.exits {
		if succeeds, _ := outcomeOf(x.ret); !succeeds || res.i >= len(x.ret.Results) {
			continue
		}
		n++
		for r, m := range s.acts(x.ret.Results[res.i]) {
			if old, ok := modes[r]; ok && old != m {
				m = Mixed
			}
			modes[r] = m
			count[r]++
		}
	}
	for r := range modes {
		if count[r] < n {
			modes[r] = Mixed
		}
	}
	return modes
}
