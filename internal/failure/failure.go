// Package failure says what a function does with a bad answer of the file system: a load
// in it has failed, a file is there already, a lock is taken.
package failure

import (
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
)

// Of is the one Package for the effects of a package.
func Of(e *effects.Package) *Package {
	type key struct{}
	return e.Derived(key{}, func() any { return of(e) }).(*Package)
}

func of(e *effects.Package) *Package {
	p := &Package{Package: e}
	s := flow.NewSolver(e.Flow.Budget)
	p.fresh = (&flow.Query[ssa.Value, bool]{
		Question: "errors", About: memory.PlaceOf,
		Eval: p.isFresh, Equal: func(a, b bool) bool { return a == b }, Rounds: memory.MaxRecursion,
	}).Bind(s)
	p.computed = (&flow.Query[computation, bool]{
		Question: "dependencies", About: func(c computation) string { return memory.FuncName(c.from.Parent()) },
		Eval: p.isComputed,
	}).Bind(s)
	p.refused = (&flow.Query[*effects.Effect, *Refusal]{
		Question: "refusals", About: func(e *effects.Effect) string { return memory.FuncName(e.At.Parent()) },
		Eval: p.refusalOf, Rounds: 2,
	}).Bind(s)
	p.failures = (&flow.Query[failing, []*outcome]{
		Question: "failure of a load", About: func(f failing) string { return memory.FuncName(f.e.At.Parent()) },
		Eval: p.makeOutcomes, Rounds: 2,
	}).Bind(s)
	return p
}
