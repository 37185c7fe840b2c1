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
		if of := readers(recv); of != nil && mode == Writing {
			return &Event{Lock: s.ref(of), Mode: Reading}
		} else if of != nil {
			return &Event{Lock: s.ref(of), Mode: Free}
		}
		return &Event{Lock: s.ref(recv), Mode: mode, tried: strings.HasPrefix(fn.Name(), "Try")}
	}
	if strings.HasSuffix(known.Path(fn), "/semaphore") {
		return s.weighted(fn.Name(), recv, c.Args[len(c.Args)-1])
	}
	return nil
}

// readers is the lock of which v is the half that readers take, nil for another
// value.
func readers(v ssa.Value) ssa.Value {
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil || call.Call.StaticCallee().String() != "(*sync.RWMutex).RLocker" {
		return nil
	}
	return call.Call.Args[0]
}

// weighted is what a call does to a semaphore. Who takes all of it excludes all
// others, who takes less those who take all; of one whose size is not told
// nothing is known.
func (s *Package) weighted(method string, recv, n ssa.Value) *Event {
	size, ok := s.weights[varOf(recv)]
	if !ok || size == "" {
		return nil
	}
	mode := Reading
	if c, isConst := n.(*ssa.Const); isConst && c.Value != nil && c.Value.String() == size {
		mode = Writing
	}
	switch method {
	case "Acquire", "TryAcquire":
		return &Event{Lock: s.ref(recv), Mode: mode, tried: method == "TryAcquire"}
	case "Release":
		return &Event{Lock: s.ref(recv), Mode: Free}
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
// of one, a literal, the result of a function of the package, or any of several.
func (s *Package) acts(vals ...ssa.Value) map[Ref]Mode {
	fns, all := s.choice(vals)
	modes, count := map[Ref]Mode{}, map[Ref]int{}
	for _, v := range fns {
		for r, m := range s.actsAlone(v) {
			if old, ok := modes[r]; ok && old != m {
				m = Mixed
			}
			modes[r] = m
			count[r]++
		}
	}
	for r := range modes {
		if count[r] < len(fns) || !all {
			modes[r] = Mixed
		}
	}
	return modes
}

// actsAlone is what a function value does that stands for one function.
func (s *Package) actsAlone(v ssa.Value) map[Ref]Mode {
	switch v := v.(type) {
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

// choice are the functions that any of several values may be, and whether these are all.
func (s *Package) choice(vals []ssa.Value) (fns []ssa.Value, all bool) {
	all = true
	next := func(v ssa.Value) []ssa.Value {
		switch x := v.(type) {
		case *ssa.Const:
			return nil // a call of nil panics
		case *ssa.ChangeType:
			return functions(x.X)
		case *ssa.Phi:
			return functions(x.Edges...)
		case *ssa.UnOp:
			if cell := variable(x); cell != nil {
				vals, known := s.stores(cell)
				all = all && known
				return functions(vals...)
			}
		}
		fns = append(fns, v)
		return nil
	}
	flow.Reach(s.flow.Budget, next, functions(vals...)...)
	return fns, all
}

// functions are the values among several that are functions.
func functions(vals ...ssa.Value) []ssa.Value {
	var list []ssa.Value
	for _, v := range vals {
		if _, ok := v.Type().Underlying().(*types.Signature); ok {
			list = append(list, v)
		}
	}
	return list
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
	modes := map[Ref]Mode{}
	for _, l := range f.net {
		low, known := s.lowered(l.lock, caller, fn, args)
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
	modes := map[Ref]Mode{}
	for r, m := range s.lenders.Ask(resultOf{body, i}) {
		if low, ok := s.lowered(r, call.Parent(), body, args); ok {
			modes[low] = m
		}
	}
	return modes
}

// lender is what a result of a function does to locks, in the function's own
// terms.
func (s *Package) lender(res resultOf) map[Ref]Mode {
	f := s.fn(res.fn)
	if f == nil {
		return nil
	}
	var vals []ssa.Value
	for _, x := range f.exits {
		if succeeds, _ := verdict(x.ret); succeeds && res.i < len(x.ret.Results) {
			vals = append(vals, x.ret.Results[res.i])
		}
	}
	return s.acts(vals...)
}
