package effects

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
)

// makeYielded is what the results of a function derive from.
func (p *Package) makeYielded(fn *ssa.Function) [][]memory.Source {
	f := p.fn(fn)
	if f == nil {
		return nil
	}
	x := NewDefinitions(f)
	from := make([][]memory.Source, fn.Signature.Results().Len())
	for n := range from {
		from[n] = x.Reaching(p.Returned(fn, n), nil)
	}
	return from
}

// joinResults is what two rounds have found of a function's results. What was found first
// keeps its place: which memory is among the most that are told would else change with
// every round.
func joinResults(before, now [][]memory.Source) [][]memory.Source {
	if len(before) != len(now) {
		return now
	}
	all := make([][]memory.Source, len(now))
	for i := range now {
		all[i] = slices.Clone(before[i])
		for _, s := range now[i] {
			all[i] = memory.AddSource(all[i], s)
		}
	}
	return all
}

// derive gives every write and every change of memory of the function what it
// derives from, once all of its effects are known.
func (w *walker) derive() {
	for _, e := range w.f.Effects {
		if e.bytes != nil {
			e.From = w.p.Sources(e.bytes...)
			e.bytes = nil
		}
	}
	w.parts()
	x := NewDefinitions(w.f)
	for _, e := range w.f.Effects {
		if len(e.From) > 0 && (e.Kind == Write || e.Kind == Replace || e.Kind == StoreLoaded) {
			e.From = x.Reaching(slices.Clone(e.From), e)
		}
	}
	w.f.Effects = slices.DeleteFunc(w.f.Effects, func(e *Effect) bool { return e.Kind == StoreLoaded && len(e.From) == 0 && e.Object == nil })
	w.objects()
}

// fill notes that what reads derives from is put into the memory at addr.
func (w *walker) fill(addr ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When, values ...ssa.Value) {
	m := w.p.Memory(addr)
	if m == nil {
		return
	}
	w.add(&Effect{Action: Action{Kind: StoreLoaded, Target: m}, bytes: values}, i, c, when)
}

// decoded notes that what is decoded goes into the other arguments of the call.
func (w *walker) decoded(row known.Row, args []ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When) {
	for _, arg := range others(args, row.A) {
		switch memory.Unwrapped(arg).Type().Underlying().(type) {
		case *types.Pointer, *types.Interface:
			w.fill(arg, i, c, when, args[row.A])
		}
	}
}

// others are the arguments but for argument n.
func others(args []ssa.Value, n int) []ssa.Value {
	if n < 0 || n >= len(args) {
		return args
	}
	return slices.Concat(args[:n:n], args[n+1:])
}

// restateData puts what an effect's data derive from in terms of a call.
func (e *Effect) restateData(r *memory.Restater) {
	e.From = r.Sources(e.From)
	if e.Kind == StoreLoaded {
		e.Target = r.Memory(e.Target)
	}
	if e.Object != nil {
		e.Object = r.Memory(e.Object)
	}
}

// assigned notes a store into memory that outlives the function.
func (w *walker) assigned(addr, val ssa.Value, i ssa.Instruction) {
	if !memory.CarriesData(val.Type()) || memory.IsOSFile(val.Type()) {
		return
	}
	m := w.p.Memory(addr)
	if m == nil || !memory.IsRooted(m) && !Captures(addr) {
		return
	}
	from := w.p.Sources(val)
	if !slices.ContainsFunc(from, func(s memory.Source) bool { return s.File() != nil || s.Local != nil }) {
		return
	}
	e := w.note(StoreLoaded, nil, i)
	e.Target, e.From = m, from
}

// Captures reports whether an address lies in a variable of the function around a
// literal.
func Captures(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.FreeVar:
		return true
	case *ssa.FieldAddr:
		return Captures(a.X)
	case *ssa.UnOp:
		return Captures(a.X)
	}
	return false
}
