package locks

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
)

// Held are the locks in front of an instruction of the function.
func (f *Func) Held(i ssa.Instruction) Held {
	in := f.transfer.in[i.Block()]
	if in == nil {
		return nil
	}
	quiet := f.transfer.quiet()
	st := in.clone()
	for _, x := range i.Block().Instrs {
		if x == i {
			break
		}
		quiet.instr(x, st)
	}
	return st.held
}

// Of returns the locks of a package, computed when they are first asked for: not
// many packages have what makes a check ask, and those have it for several checks.
func Of(p *effects.Package) *Package {
	return p.Derived(derived{}, func() any { return compute(p) }).(*Package)
}

type derived struct{}

func compute(p *effects.Package) *Package {
	s := &Package{
		effects: p, flow: p.Flow, byFn: map[*ssa.Function]*Func{}, sites: map[*ssa.Function][]*Call{},
		tokens: map[*types.Var]token.Token{}, fields: map[types.Type][]*types.Var{},
		beside: map[typedPath][]string{}, makers: map[resultOf]bool{}, asked: map[asked][]Way{},
	}
	s.bindQueries()
	s.indexTokens()
	s.indexGlobals()
	for _, f := range p.All() {
		if f := s.fn(f.SSA); f != nil {
			s.byFn[f.SSA] = f
			s.Funcs = append(s.Funcs, f)
		}
	}
	for _, f := range s.Funcs {
		for _, c := range f.calls {
			s.sites[c.callee] = append(s.sites[c.callee], c)
		}
		if f.bounded {
			s.flow.GiveUp(question, memory.FuncName(f.SSA), flow.Size)
		}
	}
	return s
}

// bindQueries sets up the questions about functions and values that depend on each other.
func (s *Package) bindQueries() {
	x := flow.NewSolver(s.flow.Budget)
	ofFunc := func(fn *ssa.Function) string { return fn.String() }
	s.funcs = (&flow.Query[*ssa.Function, *Func]{
		Question: question, About: ofFunc, Eval: s.compute, Equal: (*Func).same, Rounds: maxRecursion,
	}).Bind(x)
	itself := func(v ssa.Value) Ref { return Ref{Root: v} }
	s.refs = (&flow.Query[ssa.Value, Ref]{Question: "places", About: ssa.Value.Name, Eval: s.makeRef, Start: itself}).Bind(x)
}

// maxRecursion bounds the rounds in which functions that call each other are settled. As
// a rule these end by themselves, when what one does has come to all the others: with
// five hundred functions, in some dozens of rounds.
const maxRecursion = 100

// compute is what a function does to locks.
func (s *Package) compute(fn *ssa.Function) *Func {
	a := &transfer{s: s, f: &Func{SSA: fn}, roots: map[ssa.Value]bool{}}
	a.f.transfer = a
	a.run()
	a.f.sum()
	return a.f
}
