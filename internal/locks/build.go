package locks

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
)

// Held are the modes of the locks in front of an instruction of the function.
func (f *Func) Held(i ssa.Instruction) map[Ref]Mode {
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
		effects: p, flow: p.Flow, byFn: map[*ssa.Function]*Func{}, own: map[*ssa.Function]bool{},
		callers: map[*ssa.Function]int{}, loose: map[*ssa.Function]bool{}, spliced: map[*ssa.Function]map[ssa.Instruction]bool{},
		tokens: map[*types.Var]token.Token{}, weights: map[*types.Var]string{},
		fields: map[types.Type][]*types.Var{}, locked: map[typedPath]bool{},
		several: map[*ssa.Phi]map[Ref]bool{}, makers: map[resultOf]bool{},
		spots: map[Ref]*Spot{}, alike: map[writing]int32{},
	}
	s.bindQueries()
	for _, f := range p.All() {
		s.own[f.SSA] = true
		s.index(f.SSA)
	}
	s.indexTokens()
	s.restateAll()
	return s
}

// bindQueries sets up the questions about functions and values that depend on each other.
func (s *Package) bindQueries() {
	x := flow.NewSolver(s.flow.Budget)
	ofFunc := func(fn *ssa.Function) string { return fn.String() }
	s.funcs = (&flow.Query[*ssa.Function, *Func]{Question: question, About: ofFunc, Eval: s.compute, Equal: (*Func).same, Rounds: maxRecursion}).Bind(x)
	s.channels = (&flow.Query[*ssa.Function, map[half]bool]{Question: "channels that are locks", About: ofFunc, Eval: s.onChannels, Equal: maps.Equal[map[half]bool, map[half]bool], Rounds: maxRecursion}).Bind(x)
	s.lenders = (&flow.Query[resultOf, map[Ref]Mode]{Question: question, About: func(res resultOf) string { return res.fn.String() }, Eval: s.lender, Equal: maps.Equal[map[Ref]Mode, map[Ref]Mode], Rounds: maxRecursion}).Bind(x)
	s.refs = (&flow.Query[ssa.Value, Ref]{Question: "places", About: ssa.Value.Name, Eval: s.makeRef, Start: func(v ssa.Value) Ref { return Ref{Root: v} }}).Bind(x)
}

// maxRecursion bounds the rounds in which functions that call each other are settled. As
// a rule these end by themselves, when what one does has come to all the others: with
// five hundred functions, in some dozens of rounds.
const maxRecursion = 100

// Entered reports whether fn can be entered from where no call is seen: it is
// exported, or nothing of the package calls it, or it is used as a value.
func (s *Package) Entered(fn *ssa.Function) bool {
	if fn.Parent() != nil {
		return len(s.spliced[fn]) == 0 || s.strays(fn, fn)
	}
	return s.loose[fn] || s.callers[fn] == 0 || fn.Object() != nil && fn.Object().Exported()
}

// strays reports whether a literal, of which v is the value, goes anywhere but
// where it is called.
func (s *Package) strays(v ssa.Value, lit *ssa.Function) bool {
	wrapped := func(v ssa.Value) []ssa.Value {
		var list []ssa.Value
		for _, i := range flow.Uses(v) {
			switch i := i.(type) {
			case *ssa.MakeClosure:
				list = append(list, i)
			case *ssa.ChangeType:
				list = append(list, i)
			}
		}
		return list
	}
	return flow.Any(s.flow.Budget, func(v ssa.Value) bool {
		return slices.ContainsFunc(flow.Uses(v), func(i ssa.Instruction) bool {
			switch i.(type) {
			case *ssa.MakeClosure, *ssa.ChangeType:
				return false
			}
			return !s.spliced[lit][i]
		})
	}, wrapped, v)
}

// compute is what a function does to locks.
func (s *Package) compute(fn *ssa.Function) *Func {
	a := &transfer{s: s, f: &Func{SSA: fn}, roots: map[ssa.Value]bool{}}
	a.f.transfer = a
	a.run()
	a.f.sum()
	return a.f
}

// index counts the calls of each function and finds those used as values.
func (s *Package) index(fn *ssa.Function) {
	for i := range flow.Instrs(fn) {
		c, ok := i.(ssa.CallInstruction)
		if !ok {
			continue
		}
		if callee := s.effects.Body(c.Common()); callee != nil {
			s.callers[callee]++
			if _, spawned := i.(*ssa.Go); spawned {
				s.loose[callee] = true
			}
		}
	}
	for i, used := range flow.Functions(fn) {
		if c, ok := i.(ssa.CallInstruction); !ok || used != s.effects.Body(c.Common()) {
			s.loose[bare(used)] = true
		}
	}
}

// Under are the modes of the locks under which an instruction reads a place: in
// front of it, or where what it calls reads it.
func (f *Func) Under(i ssa.Instruction, place Ref) []map[Ref]Mode {
	var list []map[Ref]Mode
	if _, ok := i.(*ssa.Call); ok {
		for _, acc := range f.Accesses {
			if acc.Instr == i && !acc.Write && (acc.Place.Within(place) || place.Within(acc.Place)) {
				list = append(list, acc.Held)
			}
		}
	}
	if len(list) == 0 {
		list = append(list, f.Held(i))
	}
	return list
}
