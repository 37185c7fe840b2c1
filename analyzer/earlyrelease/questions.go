package earlyrelease

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// releasedTwo reports whether a run of f can have both of two effects, a first: b
// happens for certain once a has, and nothing else decides on one of them. What
// any of the others does in between is between them.
func releasedTwo(p *effects.Package, f *effects.Func, a, b *effects.Effect, others []*effects.Effect) bool {
	if a.At == nil || b.At == nil || a.At == b.At || a.Maybe || b.Maybe || a.Final || a.At.Parent() != b.At.Parent() {
		return false
	}
	between := func(i ssa.Instruction) bool {
		return slices.ContainsFunc(others, func(o *effects.Effect) bool { return o.At == i })
	}
	switch {
	case b.When == effects.Spawned:
		return false
	case b.When == effects.Deferred && a.When != effects.Spawned:
		return p.Flow.Dominates(b.At, a.At) && p.ReturnsAfter(a.At, between)
	case b.When == effects.Deferred:
		return p.Flow.Dominates(b.At, a.At) || !p.ReturnsAfter(a.At, effects.Is(b.At))
	case a.When == effects.Deferred:
		return false
	}
	certain := !p.ReturnsAfter(a.At, effects.Is(b.At)) && p.ReturnsAfter(a.At, nil)
	return certain && !slices.ContainsFunc(others, func(o *effects.Effect) bool {
		return p.Flow.Reaches(a.At, o.At) && p.Flow.Reaches(o.At, b.At)
	}) && p.Flow.Reaches(a.At, b.At)
}

// stale reports whether late acts on the number of a descriptor which f knows
// from before that was closed, and which may be another's by then.
func stale(p *effects.Package, f *effects.Func, closed, late *effects.Effect) bool {
	n, ok := late.Number.(ssa.Instruction)
	if !ok || n.Parent() != f.SSA || !p.Flow.Dominates(n, closed.At) {
		return false
	}
	return (closed.Number == late.Number || closed.On(late.Handle)) && releasedTwo(p, f, closed, late, nil)
}

// byNumber reports whether the effect closes a descriptor that the program knows
// by its number alone, or beside the open file that has it.
func byNumber(e *effects.Effect) bool { return e.Kind == effects.Close && e.Number != nil }

// touches is where the package sets the times of a file that is the one, or may be, so that
// it does not get old while it is in use; NoPos where it does not.
func touches(p *effects.Package, may func(*pathexpr.Term) bool) token.Pos {
	for _, f := range p.Funcs {
		for i := range flow.Instrs(f.SSA) {
			call, ok := i.(ssa.CallInstruction)
			if !ok || !known.Is(p.CalleeOf(call.Common()), "os.Chtimes") || memory.InTestFile(p.Pass.Fset, call.Pos()) {
				continue
			}
			if may(p.Term(call.Common().Args[0])) {
				return call.Pos()
			}
		}
	}
	return token.NoPos
}

// returnsRelease reports whether f returns a function that has an effect at a place.
func returnsRelease(f *effects.Func, at token.Pos) bool {
	return slices.ContainsFunc(f.OfResults, func(list []*effects.Effect) bool {
		return slices.ContainsFunc(list, func(e *effects.Effect) bool { return e.Pos == at })
	})
}

// handlesOf lists the fields into which f puts a path, where they get no other value.
func handlesOf(p *effects.Package, f *effects.Func, path *pathexpr.Term) []*pathexpr.Term {
	var list []*pathexpr.Term
	for _, b := range f.SSA.Blocks {
		for _, i := range b.Instrs {
			st, ok := i.(*ssa.Store)
			if !ok {
				continue
			}
			fa, ok := st.Addr.(*ssa.FieldAddr)
			if !ok || p.Fields[memory.StructOf(fa.X.Type()).Field(fa.Field).Origin()] != st.Val {
				continue
			}
			if typ := memory.NamedType(fa.X.Type()); typ != "" && memory.SameFile(p.Term(st.Val), path) {
				list = append(list, pathexpr.NewField(p.Term(fa.X), typ, memory.StructOf(fa.X.Type()).Field(fa.Field).Name()))
			}
		}
	}
	return list
}

// callOf is the call in f, or in a literal of it, that has an effect or leads to
// it.
func callOf(p *effects.Package, f *effects.Func, e *effects.Effect) *ast.CallExpr {
	if call, in := e.Here(), f.SSA.Syntax(); call != nil && in != nil && in.Pos() <= call.Pos() && call.End() <= in.End() {
		return call
	}
	if i, ok := e.At.(ssa.CallInstruction); ok {
		return p.CallAt(i.Common().Pos())
	}
	return nil
}
