package locks

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
)

// Origins are the values that a value can be: of one that depends on the way, those of
// all ways.
func Origins(b *flow.Budget, v ssa.Value) []ssa.Value {
	if phi, ok := v.(*ssa.Phi); ok {
		return flow.Edges(b, phi)
	}
	return []ssa.Value{v}
}

// fresh reports whether a place is in an object that this function made: nobody
// else can know it yet.
func (s *Package) fresh(root ssa.Value) bool {
	return !slices.ContainsFunc(Origins(s.flow.Budget, root), func(v ssa.Value) bool {
		switch v := v.(type) {
		case *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
			return false
		case *ssa.Alloc:
			_, pointer := known.Pointee(v.Type()).Underlying().(*types.Pointer)
			return pointer // a variable that points to several objects is none
		}
		return true
	})
}

// Made reports whether a value is an object that its function made itself, or got from a
// function of the package that made it.
func (s *Package) Made(v ssa.Value) bool {
	if s.fresh(v) {
		return true
	}
	index := 0
	if x, ok := v.(*ssa.Extract); ok {
		v, index = x.Tuple, x.Index
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	body := s.effects.Body(&call.Call)
	if body == nil {
		return false
	}
	res := resultOf{body, index}
	isMade, ok := s.makers[res]
	if !ok {
		isMade = s.makes(res)
		s.makers[res] = isMade
	}
	return isMade
}

// makes reports whether a result is always an object that the function made.
func (s *Package) makes(res resultOf) bool {
	found := false
	for ret := range flow.Returns(res.fn) {
		if res.i >= len(ret.Results) {
			continue
		}
		if c, ok := ret.Results[res.i].(*ssa.Const); ok && c.IsNil() {
			continue
		}
		if root := s.ref(ret.Results[res.i]).Root; !s.fresh(root) {
			return false
		}
		found = true
	}
	return found
}

// target is the function of the package that a call leads to, with all of its
// arguments; nil for any other call.
func (s *Package) target(c *ssa.CallCommon) (*ssa.Function, []ssa.Value) {
	body := s.effects.Body(c)
	switch {
	case c.IsInvoke():
		return body, slices.Concat([]ssa.Value{c.Value}, c.Args)
	case body != nil:
		return body, c.Args
	}
	fn, receiver := s.function(c.Value)
	return fn, slices.Concat(receiver, c.Args)
}

// function is the function of the package that a value is, and the receiver that
// is bound to it; nil for any other value.
func (s *Package) function(v ssa.Value) (fn *ssa.Function, receiver []ssa.Value) {
	switch v := v.(type) {
	case *ssa.ChangeType:
		return s.function(v.X)
	case *ssa.MakeClosure:
		fn = v.Fn.(*ssa.Function)
		if fn.Parent() == nil {
			receiver = v.Bindings
		}
	case *ssa.Function:
		fn = v
	default:
		return nil, nil
	}
	if fn = bare(fn); s.effects.Of(fn) == nil {
		return nil, nil
	}
	return fn, receiver
}

// tells is the result of a lock's method that says whether the lock is taken, -1
// for none: a bool, also in front of an error, or an error.
func tells(sig *types.Signature) int {
	n := sig.Results().Len()
	if n > 1 && memory.IsBool(sig.Results().At(n-2).Type()) && memory.IsErrorType(sig.Results().At(n-1).Type()) {
		return n - 2
	}
	if n > 0 && (memory.IsErrorType(sig.Results().At(n-1).Type()) || memory.IsBool(sig.Results().At(n-1).Type())) {
		return n - 1
	}
	return -1
}

// bare is the declared function behind a method value.
func bare(fn *ssa.Function) *ssa.Function {
	if fn.Synthetic == "" {
		return fn
	}
	if obj, ok := fn.Object().(*types.Func); ok && fn.Prog != nil {
		if decl := fn.Prog.FuncValue(obj.Origin()); decl != nil {
			return decl
		}
	}
	return fn
}
