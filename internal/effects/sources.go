package effects

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// makeYielded is what the results of a function derive from.
func (p *Package) makeYielded(fn *ssa.Function) [][]memory.Source {
	f := p.fn(fn)
	if f == nil {
		return nil
	}
	x := newSettler(f)
	from := make([][]memory.Source, fn.Signature.Results().Len())
	for n := range from {
		from[n] = x.settled(p.Returned(fn, n), nil)
	}
	return from
}

func sameSources(a, b [][]memory.Source) bool {
	return slices.EqualFunc(a, b, func(a, b []memory.Source) bool { return slices.EqualFunc(a, b, memory.Source.Same) })
}

// Place is the value in which memory lies, and the fields that lead to it from
// there: "store.jobs". It is nil where the function was not given the memory.
func (f *Func) Place(m *pathexpr.Term) (of ssa.Value, path string) {
	if m.Kind == pathexpr.Field {
		of, path = f.Place(m.Args[0])
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

// settle gives every write and every change of memory of the function what it
// derives from, once all of its effects are known.
func (w *walker) settle() {
	for _, e := range w.f.Effects {
		if e.bytes != nil {
			e.From = w.p.Sources(e.bytes...)
			e.bytes = nil
		}
	}
	w.parts()
	x := newSettler(w.f)
	for _, e := range w.f.Effects {
		if len(e.From) > 0 && (e.Kind == Write || e.Kind == Replace || e.Kind == Fill) {
			e.From = x.settled(slices.Clone(e.From), e)
		}
	}
	w.f.Effects = slices.DeleteFunc(w.f.Effects, func(e *Effect) bool { return e.Kind == Fill && len(e.From) == 0 && e.Object == nil })
	w.objects()
}

// fill notes that what reads derives from is put into the memory at addr.
func (w *walker) fill(addr ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When, values ...ssa.Value) {
	m := w.p.Memory(addr)
	if m == nil {
		return
	}
	w.add(&Effect{Kind: Fill, Target: m, bytes: values}, i, c, when)
}

// decoded notes that what is decoded goes into the other arguments of the call.
func (w *walker) decoded(row known.Row, args []ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When) {
	for _, arg := range others(args, row.A) {
		switch unwrapped(arg).Type().Underlying().(type) {
		case *types.Pointer, *types.Interface:
			w.fill(arg, i, c, when, args[row.A])
		}
	}
}

// unwrapped is the value inside an interface.
func unwrapped(v ssa.Value) ssa.Value {
	if in := memory.Converted(v); in != nil {
		return in
	}
	return v
}

// others are the arguments but for argument n.
func others(args []ssa.Value, n int) []ssa.Value {
	if n < 0 || n >= len(args) {
		return args
	}
	return slices.Concat(args[:n:n], args[n+1:])
}

// restateData puts what an effect's data derive from in terms of a call.
func (p *Package) restateData(e *Effect, args []ssa.Value, at ssa.Instruction) {
	e.From = p.RestateSources(e.From, args, at)
	if e.Kind == Fill {
		e.Target = p.LowerMemory(e.Target, args)
	}
	if e.Object != nil {
		e.Object = p.LowerMemory(e.Object, args)
	}
}

// assigned notes a store into memory that outlives the function.
func (w *walker) assigned(addr, val ssa.Value, i ssa.Instruction) {
	if !memory.CarriesData(val.Type()) || memory.IsOSFile(val.Type()) {
		return
	}
	m := w.p.Memory(addr)
	if m == nil || !memory.IsRooted(m) && !captures(addr) {
		return
	}
	from := w.p.Sources(val)
	if !slices.ContainsFunc(from, func(s memory.Source) bool { return s.File() != nil || s.Local != nil }) {
		return
	}
	w.seq++
	w.f.Effects = append(w.f.Effects, &Effect{Kind: Fill, Target: m, From: from, In: w.f.SSA, Pos: i.Pos(), At: i, seq: w.seq, flow: w.p.Flow})
}

// captures reports whether an address lies in a variable of the function around a
// literal.
func captures(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.FreeVar:
		return true
	case *ssa.FieldAddr:
		return captures(a.X)
	case *ssa.UnOp:
		return captures(a.X)
	}
	return false
}

// told are the sources that mean the same to a caller elsewhere.
func told(from []memory.Source) []*pathexpr.Term {
	var list []*pathexpr.Term
	for _, s := range from {
		if s.Local != nil || s.Term.Depth() > maxSummaryDepth {
			continue
		}
		if s.File() != nil && len(s.Term.Params()) == 0 && s.Term.Abstract() == "" {
			continue
		}
		if s.File() == nil && !memory.IsRooted(s.Term) {
			continue
		}
		list = append(list, s.Term)
	}
	return list
}

// Lends reports whether a result of a function of the package can be memory that
// the function did not make: no copy, but the thing itself.
func (p *Package) Lends(fn *ssa.Function) bool {
	return flow.Any(p.Flow.Budget, p.isLent, p.lentBy, results(fn)...)
}

// results are the values that the returns of a function yield.
func results(fn *ssa.Function) []ssa.Value {
	var list []ssa.Value
	for r := range flow.Returns(fn) {
		list = append(list, r.Results...)
	}
	return list
}

// isLent reports whether a value is memory that a function did not make, and has from
// nowhere that could be followed.
func (p *Package) isLent(v ssa.Value) bool {
	if !refers(v.Type()) {
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

// lentBy lists the values that a value which refers to memory may be, or be a part of.
func (p *Package) lentBy(v ssa.Value) []ssa.Value {
	if !refers(v.Type()) {
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

// refers reports whether values of a type refer to memory.
func refers(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice:
		return true
	}
	return false
}

// Encodes reports whether a call encodes what it is given.
func Encodes(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return false
	}
	row, _ := known.Lookup(obj)
	return row.Op == known.Encode || row.Op == known.EncodeTo || encodes(obj.Name())
}
