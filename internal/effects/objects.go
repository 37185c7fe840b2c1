package effects

import (
	"go/types"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// objects notes which of the function's writes save an object, or memory of it, to a
// file that it names itself, and which of its results are objects that it has loaded.
func (w *walker) objects() {
	for _, e := range w.f.Effects {
		switch {
		case e.Object != nil:
		case e.Kind == Write || e.Kind == Replace:
			e.Object = w.f.saved(e)
		case e.Kind == StoreLoaded && e.Target.Kind != pathexpr.Field && fromFile(e):
			e.Object = e.Target
		}
	}
	reaching, handed := sync.OnceValue(func() *Definitions { return NewDefinitions(w.f) }), map[string]bool{}
	handsOn := func(object *pathexpr.Term) bool {
		key := object.Key()
		hands, known := handed[key]
		if !known {
			hands = w.handsOn(object, reaching)
			handed[key] = hands
		}
		return hands
	}
	for _, b := range w.f.SSA.Blocks {
		if r := flow.ReturnOf(b); r != nil {
			w.yields(r, handsOn)
		}
	}
}

// parts notes which effects load a part of an object from the file that it names. What
// is made of memory that has been loaded before is not asked for, and no load.
func (w *walker) parts() {
	for _, e := range w.f.Effects {
		if e.Kind != StoreLoaded || e.Target.Kind != pathexpr.Field || e.Object != nil && e.Object.Kind != pathexpr.Field {
			continue
		}
		object := memory.RootOf(e.Target)
		if slices.ContainsFunc(e.From, func(s memory.Source) bool {
			return s.File() != nil && (ownFile(object, s.File()) || w.setsPath(object, s.File()))
		}) {
			e.Object = object
		}
	}
}

// setsPath reports whether the function makes an object, and gives it the path of a
// file, or a part of that.
func (w *walker) setsPath(object, file *pathexpr.Term) bool {
	if object.Kind != pathexpr.Unknown {
		return false
	}
	for _, b := range w.f.SSA.Blocks {
		for _, i := range b.Instrs {
			a, ok := i.(*ssa.Alloc)
			if !ok {
				continue
			}
			if m := w.p.Memory(a); m != nil && m.Equal(object) {
				return file.Any(func(t *pathexpr.Term) bool { return t.Kind != pathexpr.Const && w.p.Names(a, t) })
			}
		}
	}
	return false
}

func fromFile(e *Effect) bool {
	return slices.ContainsFunc(e.From, func(s memory.Source) bool { return s.File() != nil })
}

// ownFile reports whether an object has the path of a file in one of its fields.
func ownFile(object, file *pathexpr.Term) bool {
	key := object.Key()
	return file.Any(func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Field && t.Args[0].Key() == key })
}

// saved is the object that a write saves: one that the function is given a pointer to, and
// that names the file.
func (f *Func) saved(w *Effect) *pathexpr.Term {
	file, _ := f.Saves(w)
	if file == nil {
		return nil
	}
	for _, s := range w.From {
		if object := memory.RootOf(s.Term); object.Kind == pathexpr.Param && object.Type != "" && isPointer(f.SSA, object.Index) &&
			ownFile(object, file) {
			return object
		}
	}
	return nil
}

// isPointer reports whether a function is given a pointer.
func isPointer(fn *ssa.Function, index int) bool {
	if index >= len(fn.Params) {
		return true // of the function around a literal
	}
	_, ok := fn.Params[index].Type().Underlying().(*types.Pointer)
	return ok
}

// yields notes the results of a return that are loaded: whole, or a field of them.
func (w *walker) yields(r *ssa.Return, handsOn func(object *pathexpr.Term) bool) {
	for i := range r.Results {
		v := memory.Unwrapped(memory.Result(r, i))
		if named(v.Type()) == nil {
			continue
		}
		m := w.p.Memory(v)
		if m == nil || memory.IsRooted(m) || !slices.ContainsFunc(w.f.Effects, func(e *Effect) bool {
			return (e.Kind == StoreLoaded || e.Kind == Load) && e.Object != nil && e.Object.Equal(m)
		}) && !handsOn(m) {
			continue
		}
		if w.f.Fresh == nil {
			w.f.Fresh = make([]bool, len(r.Results))
		}
		w.f.Fresh[i] = true
	}
}

// handsOn reports whether the function puts into a field of an object that it makes what it
// has loaded from the file which the object names.
func (w *walker) handsOn(object *pathexpr.Term, reaching func() *Definitions) bool {
	if !slices.ContainsFunc(w.f.Effects, func(e *Effect) bool { return e.Kind == Read || e.Kind == Decode }) {
		return false
	}
	named := map[string]bool{} // the files, by their keys
	names := func(file *pathexpr.Term) bool {
		names, known := named[file.Key()]
		if !known {
			names = ownFile(object, file) || w.setsPath(object, file)
			named[file.Key()] = names
		}
		return names
	}
	for i := range flow.Instrs(w.f.SSA) {
		at, v := put(i)
		if at == nil || !memory.CarriesData(v.Type()) {
			continue
		}
		m := w.p.Memory(at)
		if m == nil || m.Kind != pathexpr.Field || !memory.RootOf(m).Equal(object) {
			continue
		}
		if slices.ContainsFunc(reaching().Reaching(w.p.Sources(v), nil), func(s memory.Source) bool {
			return s.File() != nil && names(s.File())
		}) {
			return true
		}
	}
	return false
}

// put is the memory into which an instruction puts a value, and that.
func put(i ssa.Instruction) (at, v ssa.Value) {
	switch i := i.(type) {
	case *ssa.Store:
		return i.Addr, i.Val
	case *ssa.MapUpdate:
		return i.Map, i.Value
	}
	return nil, nil
}

// named is the struct type that has a name and that t is or points to, nil for any
// other type.
func named(t types.Type) *types.Named {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil
	}
	return n
}

// loaded notes the results of a call that come loaded from their files.
func (w *walker) loaded(loads []bool, i ssa.Instruction, c *ssa.CallCommon, when When) {
	call, ok := i.(*ssa.Call)
	if !ok || when != Inline {
		return
	}
	for n, loads := range loads {
		if v := resultOf(call, n); loads && v != nil {
			w.add(&Effect{Action: Action{Kind: Load, Object: w.p.Memory(v)}}, i, c, when)
		}
	}
}

// resultOf is the value in which result n of a call comes, nil where nobody looks
// at it.
func resultOf(call *ssa.Call, n int) ssa.Value {
	if call.Call.Signature().Results().Len() == 1 {
		return call
	}
	for _, ref := range flow.Uses(call) {
		if x, ok := ref.(*ssa.Extract); ok && x.Index == n {
			return x
		}
	}
	return nil
}
