package effects

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/pathexpr"
)

// objects notes which of the function's writes save an object whole, to a file that
// it names itself, and which of its results are objects that it has loaded whole.
func (w *walker) objects() {
	for _, e := range w.f.Effects {
		switch {
		case e.Object != nil:
		case e.Kind == Write || e.Kind == Replace:
			e.Object = w.f.saved(e)
		case e.Kind == Fill && e.Target.Kind != pathexpr.Field && fromFile(e):
			e.Object = e.Target
		}
	}
	for _, b := range w.f.SSA.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			w.yields(r)
		}
	}
}

func fromFile(e *Effect) bool {
	return slices.ContainsFunc(e.From, func(s Source) bool { return s.File() != nil })
}

// saved is the object that a write saves: memory that the function is given, with
// the path of the file in one of its fields.
func (f *Func) saved(w *Effect) *pathexpr.Term {
	file, _ := f.Saves(w)
	if file == nil {
		return nil
	}
	for _, s := range w.From {
		if s.Term.Kind != pathexpr.Param || s.Term.Type == "" {
			continue
		}
		key := s.Term.Key()
		if file.Any(func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Field && t.Args[0].Key() == key }) {
			return s.Term
		}
	}
	return nil
}

// yields notes the results of a return that are loaded whole.
func (w *walker) yields(r *ssa.Return) {
	for i, v := range r.Results {
		v = unwrapped(v)
		if named(v.Type()) == nil {
			continue
		}
		m := w.p.memory(v)
		if m == nil || rooted(m) || !slices.ContainsFunc(w.f.Effects, func(e *Effect) bool {
			return (e.Kind == Fill || e.Kind == Load) && e.Object != nil && e.Object.Key() == m.Key()
		}) {
			continue
		}
		if w.f.fresh == nil {
			w.f.fresh = make([]bool, len(r.Results))
		}
		w.f.fresh[i] = true
	}
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
			w.add(&Effect{Kind: Load, Object: w.p.memory(v)}, i, c, when)
		}
	}
}

// resultOf is the value in which result n of a call comes, nil where nobody looks
// at it.
func resultOf(call *ssa.Call, n int) ssa.Value {
	if call.Call.Signature().Results().Len() == 1 {
		return call
	}
	for _, ref := range *call.Referrers() {
		if x, ok := ref.(*ssa.Extract); ok && x.Index == n {
			return x
		}
	}
	return nil
}
