package failure

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
)

// yields reports whether what a call decodes is more than looked at: it is
// returned, kept, or given to others.
func (p *Package) yields(call *ssa.Call, e *effects.Effect) bool {
	if e.Kind != effects.Decode {
		return true
	}
	u := &usage{p: p, decode: call, seen: map[ssa.Value]bool{}}
	return u.leaves(call) || slices.ContainsFunc(memory.CallArgs(&call.Call), u.filled)
}

// A usage follows what a call decodes to what becomes of it.
type usage struct {
	p      *Package
	decode *ssa.Call
	seen   map[ssa.Value]bool
}

// filled reports whether what an argument points to is used outside of the
// function.
func (u *usage) filled(arg ssa.Value) bool {
	v := memory.Unwrapped(arg)
	if _, ptr := v.Type().Underlying().(*types.Pointer); !ptr || memory.IsOSFile(v.Type()) {
		return false
	}
	m := u.p.Memory(v)
	for field, ok := v.(*ssa.FieldAddr); ok; field, ok = v.(*ssa.FieldAddr) {
		v = field.X
	}
	return m == nil || memory.IsRooted(m) || effects.Captures(v) || u.leaves(v)
}

// leaves reports whether a value, or a part of it that is more than a number or a
// text, is returned, kept or given to a function.
func (u *usage) leaves(v ssa.Value) bool {
	if u.seen[v] || !memory.CarriesData(v.Type()) || memory.IsDetail(v) {
		return false
	}
	u.seen[v] = true
	return slices.ContainsFunc(flow.Uses(v), func(ref ssa.Instruction) bool {
		switch r := ref.(type) {
		case *ssa.Return, *ssa.Send, *ssa.MakeClosure:
			return true
		case *ssa.Store:
			if r.Addr == v {
				return false
			}
			_, local := r.Addr.(*ssa.Alloc)
			return !local || u.leaves(r.Addr)
		case *ssa.MapUpdate:
			return r.Map != v && u.leavesIn(r.Map)
		case *ssa.Call:
			return u.usesArgument(r)
		case ssa.Value:
			return u.leaves(r)
		}
		return false
	})
}

// leavesIn reports whether a map that gets a value is memory that the function was given,
// or leaves it.
func (u *usage) leavesIn(m ssa.Value) bool {
	place := u.p.Memory(m)
	return place == nil || memory.IsRooted(place) || u.leaves(m)
}

// usesArgument reports whether a call that gets a value makes more of it.
func (u *usage) usesArgument(call *ssa.Call) bool {
	if call == u.decode {
		return false
	}
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return b.Name() == "append" && u.leaves(call)
	}
	if row, ok := known.Lookup(u.p.CalleeOf(&call.Call)); ok && row.Op == known.Decode {
		return slices.ContainsFunc(memory.CallArgs(&call.Call), u.filled)
	}
	return true
}

// AnswerUsed reports whether anything is done with what a call tells of a file, but for its error.
func AnswerUsed(e *effects.Effect) bool {
	for e.CalleeEffect != nil {
		e = e.CalleeEffect
	}
	call, ok := e.At.(*ssa.Call)
	if !ok || call.Call.Signature().Results().Len() < 2 {
		return true
	}
	return slices.ContainsFunc(flow.Uses(call), func(ref ssa.Instruction) bool {
		x, ok := ref.(*ssa.Extract)
		return !ok || !memory.IsErrorType(x.Type()) && len(flow.Uses(x)) > 0
	})
}
