package stalesnapshot

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// placeOf is the value in which memory lies, and the fields that lead to it from
// there: "store.jobs". It is nil where the function was not given the memory.
func placeOf(f *effects.Func, m *pathexpr.Term) (of ssa.Value, path string) {
	if m.Kind == pathexpr.Field {
		of, path = placeOf(f, m.Args[0])
		return of, strings.TrimPrefix(path+"."+m.Text, ".")
	}
	fn, n := f.SSA, m.Index
	switch m.Kind {
	case pathexpr.Param:
		for ; n >= memory.Outer && fn.Parent() != nil; n -= memory.Outer {
			fn = fn.Parent()
		}
		if n < len(fn.Params) {
			return fn.Params[n], ""
		}
	case pathexpr.Global:
		if name, ok := strings.CutPrefix(m.Text, fn.Pkg.Pkg.Path()+"."); ok {
			if g, ok := fn.Pkg.Members[name].(*ssa.Global); ok {
				return g, ""
			}
		}
	}
	return nil, ""
}

// returnsAlias reports whether a result of a function of the package can be memory that
// the function did not make: no copy, but the thing itself.
func returnsAlias(p *effects.Package, fn *ssa.Function) bool {
	is := func(v ssa.Value) bool { return isAlias(p, v) }
	from := func(v ssa.Value) []ssa.Value { return aliasesOf(p, v) }
	return flow.Any(p.Flow.Budget, is, from, results(fn)...)
}

// results are the values that the returns of a function yield.
func results(fn *ssa.Function) []ssa.Value {
	var list []ssa.Value
	for r := range flow.Returns(fn) {
		list = append(list, r.Results...)
	}
	return list
}

// isAlias reports whether a value is memory that a function did not make, and has from
// nowhere that could be followed.
func isAlias(p *effects.Package, v ssa.Value) bool {
	if !isReference(v.Type()) {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.Phi, *ssa.Slice, *ssa.Convert, *ssa.Call:
		return false
	case *ssa.Extract:
		_, call := v.Tuple.(*ssa.Call)
		return !call
	case *ssa.UnOp:
		_, variable := v.X.(*ssa.Alloc)
		return !variable
	}
	return true
}

// aliasesOf lists the values that a value which refers to memory may be, or be a part of.
func aliasesOf(p *effects.Package, v ssa.Value) []ssa.Value {
	if !isReference(v.Type()) {
		return nil
	}
	var call *ssa.Call
	switch v := v.(type) {
	case *ssa.Phi:
		return v.Edges
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok {
			return storedValues(a)
		}
	case *ssa.Slice:
		if _, array := v.X.(*ssa.Alloc); !array {
			return []ssa.Value{v.X}
		}
	case *ssa.Extract:
		call, _ = v.Tuple.(*ssa.Call)
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return v.Call.Args[:1]
		}
		call = v
	}
	if call != nil {
		if body := p.Body(&call.Call); body != nil {
			return results(body)
		}
	}
	return nil
}

// storedValues are the values that are stored at an address.
func storedValues(addr ssa.Value) []ssa.Value {
	var list []ssa.Value
	for _, st := range flow.StoresTo(addr) {
		list = append(list, st.Val)
	}
	return list
}

// isReference reports whether values of a type refer to memory.
func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice:
		return true
	}
	return false
}
