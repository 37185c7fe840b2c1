package clobber

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
)

// expires reports whether the program itself throws away what a function has in its
// parameters and results when it is too old: it deletes it from a map by a time that
// it has in a field, or the function yields something else in its place.
func expires(p *failure.Package, fns ...*effects.Func) bool {
	var held []types.Type
	for _, f := range fns {
		sig := f.SSA.Signature
		if sig.Recv() != nil {
			held = append(held, sig.Recv().Type())
		}
		for v := range sig.Params().Variables() {
			held = append(held, v.Type())
		}
		for v := range sig.Results().Variables() {
			held = append(held, v.Type())
		}
	}
	return slices.ContainsFunc(p.Funcs, func(g *effects.Func) bool {
		loads := slices.Contains(fns, g)
		for _, b := range g.SSA.Blocks {
			i := flow.BranchOf(b)
			if i == nil {
				continue
			}
			record := agedBy(p.Package, i.Cond)
			if record == nil || !slices.ContainsFunc(held, func(t types.Type) bool { return holds(p.Package, t, record) }) {
				continue
			}
			yes, no := flow.Arms(i)
			for _, s := range []*ssa.BasicBlock{yes, no} {
				if s.Dominates(b) {
					continue
				}
				if dropsBelow(s, record, loads) {
					return true
				}
			}
		}
		return false
	})
}

// agedBy is the struct that has the time in a field which a condition compares with
// the clock; nil for any other condition.
func agedBy(p *effects.Package, cond ssa.Value) types.Type {
	switch v := cond.(type) {
	case *ssa.BinOp:
		switch v.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			return agedBy(p, v.X)
		}
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "time" {
			return nil
		}
		switch fn.Name() {
		case "Since", "Sub", "After", "Before":
			for _, a := range v.Call.Args {
				if t := stampOf(p, a); t != nil {
					return t
				}
			}
		}
	}
	return nil
}

// stampOf is the struct in a field of which a time stands.
func stampOf(p *effects.Package, v ssa.Value) types.Type {
	switch v := v.(type) {
	case *ssa.UnOp:
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			return known.Pointee(fa.X.Type())
		}
	case *ssa.Field:
		return v.X.Type()
	case *ssa.Phi:
		for _, e := range flow.Edges(p.Flow.Budget, v) {
			if t := stampOf(p, e); t != nil {
				return t
			}
		}
	}
	return nil
}

// dropsBelow reports whether what a block leads to alone deletes a record from a
// map, or returns another one where own says that this counts.
func dropsBelow(b *ssa.BasicBlock, record types.Type, own bool) bool {
	is := func(t types.Type) bool { return types.Identical(known.Pointee(t), record) }
	return slices.ContainsFunc(b.Parent().Blocks, func(x *ssa.BasicBlock) bool {
		return !flow.Joined(b) && b.Dominates(x) && slices.ContainsFunc(x.Instrs, func(i ssa.Instruction) bool {
			switch i := i.(type) {
			case *ssa.Call:
				d, ok := i.Call.Value.(*ssa.Builtin)
				if !ok || d.Name() != "delete" {
					return false
				}
				m, ok := i.Call.Args[0].Type().Underlying().(*types.Map)
				return ok && is(m.Elem())
			case *ssa.Return:
				return own && slices.ContainsFunc(i.Results, func(v ssa.Value) bool { return is(v.Type()) && !memory.IsNil(v) })
			}
			return false
		})
	})
}

// holds reports whether a value of one type has values of another in it.
func holds(p *effects.Package, t, part types.Type) bool {
	is := func(t types.Type) bool { return types.Identical(t, part) }
	return flow.Any(p.Flow.Budget, is, func(t types.Type) []types.Type {
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			return []types.Type{u.Elem()}
		case *types.Slice:
			return []types.Type{u.Elem()}
		case *types.Map:
			return []types.Type{u.Elem()}
		case *types.Struct:
			var fields []types.Type
			for field := range u.Fields() {
				fields = append(fields, field.Type())
			}
			return fields
		}
		return nil
	}, t)
}
