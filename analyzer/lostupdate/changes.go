package lostupdate

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// overwritten reports whether each field of what the file is loaded into gets a new
// value before it is saved, so that nothing of the old ones goes into the file.
func overwritten(p *failure.Package, c cycles.Cycle) bool {
	if c.OneCall() || c.Last().At == nil {
		return false
	}
	return slices.ContainsFunc(cycles.ResultsOf(c.Read.At), func(v ssa.Value) bool {
		if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
			return false
		}
		s := memory.StructOf(v.Type())
		return s != nil && s.NumFields() > 0 && len(reassigned(p, v, c)) == s.NumFields()
	})
}

// reassigned are the fields of an object that are stored to on every way to the
// save of a cycle, each with a value in which nothing of the file is.
func reassigned(p *failure.Package, v ssa.Value, c cycles.Cycle) map[int]bool {
	fields, last := map[int]bool{}, c.Last().At
	for _, ref := range flow.Uses(v) {
		fa, ok := ref.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, use := range flow.Uses(fa) {
			st, ok := use.(*ssa.Store)
			if ok && st.Addr == fa && st.Parent() == last.Parent() && p.Flow.Dominates(st, last) && !derives(p, st.Val, c) {
				fields[fa.Field] = true
			}
		}
	}
	return fields
}

// derives reports whether a value derives from what the cycle has read, or may do
// so.
func derives(p *failure.Package, v ssa.Value, c cycles.Cycle) bool {
	read, _ := c.Read.At.(ssa.Value)
	from, all := p.AllSources(v)
	return !all || slices.ContainsFunc(from, func(s memory.Source) bool {
		return s.File() != nil && memory.SameFile(s.File(), c.File) || s.Local != nil && s.Local == read
	})
}

// upgrades reports whether f goes on with what the file holds, and saves that alone
// in another form: whoever opens the file next finds nothing left to be done. Of
// what is decoded and encoded again, the content must say whether that is to be.
func upgrades(p *failure.Package, f *effects.Func, c cycles.Cycle) bool {
	if memory.Encoder(c.Write.Data) != "" && !decides(p, f, c) || merges(p, c) {
		return false
	}
	if slices.ContainsFunc(c.Write.From, func(s memory.Source) bool { return !s.Within(c.File) }) {
		return false
	}
	own := func(s memory.Source) bool { return s.File() != nil && s.Within(c.File) }
	return slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
		return e.Kind == effects.StoreLoaded && memory.IsRooted(e.Target) && slices.ContainsFunc(e.From, own)
	}) || yieldsState(p, f, own) || makesOwner(p, f, c.File)
}

// merges reports whether something is put into what the cycle has loaded, or taken
// out of it, that the content itself does not say.
func merges(p *failure.Package, c cycles.Cycle) bool {
	return changedWith(p, c, func(v ssa.Value) bool { return outside(p, v, c) })
}

// changedWith reports whether a value of which that is true is put into what the cycle has
// loaded, or a call may change it by what it is given beside it.
func changedWith(p *failure.Package, c cycles.Cycle, is func(ssa.Value) bool) bool {
	seen := map[ssa.Value]bool{}
	for work := cycles.ResultsOf(c.Read.At); len(work) > 0; work = work[1:] {
		v := work[0]
		if seen[v] || !memory.CarriesData(v.Type()) {
			continue
		}
		seen[v] = true
		for _, ref := range flow.Uses(v) {
			switch r := ref.(type) {
			case *ssa.Store:
				if r.Addr == v && is(r.Val) {
					return true
				}
			case *ssa.MapUpdate:
				if r.Map == v && (is(r.Key) || is(r.Value)) {
					return true
				}
			case *ssa.Call:
				if r != c.Read.At && r != c.Last().At && changedBy(p, v, &r.Call, c) {
					return true
				}
			case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.UnOp, *ssa.Lookup, *ssa.Extract, *ssa.Phi, *ssa.Range, *ssa.Next, *ssa.Slice:
				work = append(work, r.(ssa.Value))
			}
		}
	}
	return false
}

// outside reports whether a value says something that the file does not.
func outside(p *failure.Package, v ssa.Value, c cycles.Cycle) bool {
	if _, constant := v.(*ssa.Const); constant {
		return false
	}
	return !derives(p, v, c) || slices.ContainsFunc(p.Sources(v), func(s memory.Source) bool { return !s.Within(c.File) })
}

// changedBy reports whether a call may change the loaded memory v by what it is
// given beside it.
func changedBy(p *failure.Package, v ssa.Value, call *ssa.CallCommon, c cycles.Cycle) bool {
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Map:
	default:
		return false
	}
	return slices.ContainsFunc(memory.CallArgs(call), func(a ssa.Value) bool {
		return a != v && memory.CarriesData(a.Type()) && outside(p, a, c)
	})
}

// decides reports whether what the cycle has read decides whether it is saved.
func decides(p *failure.Package, f *effects.Func, c cycles.Cycle) bool {
	last := c.Last().At
	if last == nil {
		return false
	}
	for i := range flow.Branches(f.SSA) {
		yes, no := flow.Arms(i)
		if yes.Dominates(last.Block()) != no.Dominates(last.Block()) && asksState(p, i.Cond, c) {
			return true
		}
	}
	return false
}

// asksState reports whether a condition looks at what the cycle has read.
func asksState(p *failure.Package, cond ssa.Value, c cycles.Cycle) bool {
	switch v := cond.(type) {
	case *ssa.UnOp:
		return asksState(p, v.X, c) || derives(p, v.X, c)
	case *ssa.BinOp:
		return !memory.IsErrorType(v.X.Type()) && (derives(p, v.X, c) || derives(p, v.Y, c))
	case *ssa.Call:
		return slices.ContainsFunc(memory.CallArgs(&v.Call), func(a ssa.Value) bool { return memory.CarriesData(a.Type()) && derives(p, a, c) })
	}
	return false
}

// yieldsState reports whether a result of f that is more than a number or a text
// derives from a source.
func yieldsState(p *failure.Package, f *effects.Func, of func(memory.Source) bool) bool {
	i := -1
	for v := range f.SSA.Signature.Results().Variables() {
		if i++; !memory.IsSmall(v.Type()) && slices.ContainsFunc(p.From(f.SSA, i), of) {
			return true
		}
	}
	return false
}

// makesOwner reports whether f makes and returns an object that a file belongs to:
// one that has its path in a field.
func makesOwner(p *failure.Package, f *effects.Func, file *pathexpr.Term) bool {
	for _, b := range f.SSA.Blocks {
		r := flow.ReturnOf(b)
		if r == nil {
			continue
		}
		for _, v := range r.Results {
			if a, ok := memory.Unwrapped(v).(*ssa.Alloc); ok && p.Names(a, file) {
				return true
			}
		}
	}
	return false
}
