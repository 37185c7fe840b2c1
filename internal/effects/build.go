package effects

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/gate"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/process"
)

// A Package holds the effects of one package.
type Package struct {
	*memory.Values
	Fset *token.FileSet
	// Funcs are the functions in source order, literals after the function
	// around them.
	Funcs []*Func

	calls    map[token.Pos]*ast.CallExpr // by the position that SSA gives a call
	forgets  forgotten                   // the maps from which something is deleted
	callees  map[*ast.CallExpr]*ssa.Function
	byFn     map[*ssa.Function]*Func
	lowers   map[string]*pathexpr.Term // terms of callees in terms of callers, by key
	ways     map[ssa.Instruction]way
	comments map[token.Pos]string // see CommentAt
	giving   map[ssa.Value]bool   // the function values that are being followed

	funcs   *flow.Query[*ssa.Function, *Func]
	yielded *flow.Query[*ssa.Function, [][]memory.Source] // what results derive from
	endless *flow.Query[*ssa.Function, bool]              // whether it never returns

	facts   map[*types.Func]*Summary // of functions of other packages
	flags   openFlags
	records recordFlags
	slice   *gate.Slice // what of the package is analysed
	callers *Callers    // nil until it is asked for
	leads   *process.Index
	derived map[any]any // see Derived
}

// A Config says how the effects of a package are computed.
type Config struct {
	Tests bool // those of its tests, too
	Limit int  // the number of steps that may be taken; zero for [flow.Limit]
}

// Build computes the effects of the pass's package. It returns nil for a package that
// is not the user's (std, a versioned dependency) or that cannot touch a file.
func Build(pass *analysis.Pass, c Config) *Package {
	if foreign(pass) || copied(pass) {
		return nil
	}
	l := process.New(pass)
	l.Export()
	if !touchesFiles(pass) {
		return nil
	}
	p := compute(gate.New(pass, c.Tests, func(fn *types.Func) bool { return actsByFact(pass, fn) }), flow.NewBudget(cmp.Or(c.Limit, flow.Limit)))
	p.leads = l
	return p
}

// compute gives the effects of the kept part of a package.
func compute(s *gate.Slice, b *flow.Budget) *Package {
	files := s.Files()
	p := &Package{
		Fset:     s.Pass.Fset,
		calls:    map[token.Pos]*ast.CallExpr{},
		callees:  map[*ast.CallExpr]*ssa.Function{},
		byFn:     map[*ssa.Function]*Func{},
		lowers:   map[string]*pathexpr.Term{},
		ways:     map[ssa.Instruction]way{},
		comments: map[token.Pos]string{},
		giving:   map[ssa.Value]bool{},
		facts:    map[*types.Func]*Summary{},
		flags:    newOpenFlags(s.Pass.Pkg),
		records:  newRecordFlags(s.Pass.Pkg),
		slice:    s,
		derived:  map[any]any{},
	}
	solver := flow.NewSolver(b)
	p.Values = memory.NewValues(s.Pass, gate.SSA(s, files), b, solver, summaries{p})
	p.bindQueries(solver)
	p.indexCalls(files)
	p.IndexMethods()
	p.IndexValues(s.Once)
	for _, fn := range p.SourceFuncs() {
		f := p.fn(fn)
		if f == nil { // the steps have ended
			f = &Func{SSA: fn, flow: p.Flow}
		}
		p.byFn[fn] = f
		p.Funcs = append(p.Funcs, f)
	}
	p.numberComponents()
	return p
}

// numberComponents tells the functions that call each other.
func (p *Package) numberComponents() {
	n := 0
	for comp := range flow.Components(p.Funcs, p.next) {
		n++
		for _, f := range comp {
			f.component = n
		}
	}
}

// next are the functions of the package that f calls, or that stand in it.
func (p *Package) next(f *Func) []*Func {
	var list []*Func
	for _, fn := range slices.Concat(f.Callees, f.SSA.AnonFuncs) {
		if g := p.byFn[fn]; g != nil {
			list = append(list, g)
		}
	}
	return list
}

// bindQueries sets up the questions about functions and values that depend on each other.
func (p *Package) bindQueries(s *flow.Solver) {
	p.Flow.Ends, p.Flow.Name = p.EndsProgram, memory.FuncName
	p.funcs = (&flow.Query[*ssa.Function, *Func]{Question: "effects", About: memory.FuncName, Eval: p.walk, Equal: (*Func).same, Rounds: memory.MaxRecursion}).Bind(s)
	p.yielded = (&flow.Query[*ssa.Function, [][]memory.Source]{Question: "sources of results", About: memory.FuncName, Eval: p.makeYielded, Equal: sameSources, Rounds: memory.MaxRecursion}).Bind(s)
	p.endless = (&flow.Query[*ssa.Function, bool]{Question: "what ends the program", About: memory.FuncName, Eval: p.makeEndless, Equal: func(a, b bool) bool { return a == b }, Rounds: memory.MaxRecursion}).Bind(s)
}

// GaveUp lists the questions about the package that were not answered.
func (p *Package) GaveUp() []flow.GaveUp { return p.Flow.GaveUp() }

// GiveUp notes that a question about the package is not answered.
func (p *Package) GiveUp(question string) { p.Flow.GiveUp(question, "") }

// Ended reports whether the steps have ended that the analysis of the package may take.
// What the package has answered since may be wrong.
func (p *Package) Ended() bool { return p.Flow.Ended() }

// Steps are those that the analysis of the package has taken.
func (p *Package) Steps() int { return p.Flow.Steps() }

func (p *Package) indexCalls(files []*ast.File) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				p.calls[n.Lparen] = n
				p.noteDelete(n)
			case *ast.DeferStmt:
				p.calls[n.Defer] = n.Call
			case *ast.GoStmt:
				p.calls[n.Go] = n.Call
			}
			return true
		})
	}
}

// Derived is what a function makes of the package, under a key of its own: it is
// made when it is first asked for, and kept for whoever asks again.
func (p *Package) Derived(key any, by func() any) any {
	v, ok := p.derived[key]
	if !ok {
		v = by()
		p.derived[key] = v
	}
	return v
}

// Of returns the effects of a function of the package, nil for any other.
func (p *Package) Of(fn *ssa.Function) *Func { return p.byFn[fn] }

// StartsProgram reports whether the function leads to the start of another program
// behind a position, other than one that runs nothing of anybody else's.
func (p *Package) StartsProgram(f *Func, from token.Pos) bool {
	body := BodyOf(f.SSA)
	return body != nil && p.leads.StartsProgram(body, from)
}

// AsksUser reports whether the function leads to a wait for the user's answer
// behind a position.
func (p *Package) AsksUser(f *Func, from token.Pos) bool {
	body := BodyOf(f.SSA)
	return body != nil && p.leads.AsksUser(body, from)
}

// CallAt is the syntax of a call by the position that SSA gives it, nil where it has
// none.
func (p *Package) CallAt(pos token.Pos) *ast.CallExpr { return p.calls[pos] }

// Assigned counts the places that put something into a field of the package.
func (p *Package) Assigned(field *types.Var) int {
	return p.slice.Assigned(field)
}

// Call is the syntax of a call, nil where it has none.
func (p *Package) Call(c ssa.CallInstruction) *ast.CallExpr { return p.calls[c.Common().Pos()] }

// Callee returns the declared function of the package that a call leads to, nil
// for any other call.
func (p *Package) Callee(call *ast.CallExpr) *Func { return p.byFn[p.callees[call]] }

// maxEffects bounds what one function is taken to do by what it calls: where there is
// more, what comes last is not known, and the run says so.
const maxEffects = 4000

// fn is a function with its effects; nil for one that calls itself, where nothing is
// known of that yet.
func (p *Package) fn(fn *ssa.Function) *Func { return p.funcs.Ask(fn) }

// walk computes a function's effects.
func (p *Package) walk(fn *ssa.Function) *Func {
	w := &walker{p: p, f: &Func{SSA: fn, flow: p.Flow}}
	w.walk()
	return w.f
}

// same reports whether two rounds have found the same of a function.
func (f *Func) same(o *Func) bool {
	if f == nil || o == nil {
		return f == o
	}
	return slices.EqualFunc(f.Effects, o.Effects, (*Effect).same) && slices.EqualFunc(f.Local, o.Local, (*Effect).same) &&
		slices.EqualFunc(f.Results, o.Results, (*pathexpr.Term).Same) && slices.Equal(f.Fresh, o.Fresh) &&
		slices.EqualFunc(f.Gives, o.Gives, func(a, b []*Effect) bool { return slices.EqualFunc(a, b, (*Effect).same) })
}

// same reports whether two effects are alike in what a function tells its callers.
func (e *Effect) same(o *Effect) bool {
	return e.Kind == o.Kind && e.At == o.At && e.Pos == o.Pos && e.When == o.When && e.Maybe == o.Maybe && e.Final == o.Final &&
		e.Path.Same(o.Path) && e.Target.Same(o.Target) && e.Handle.Same(o.Handle) && e.Data.Same(o.Data) && e.Object.Same(o.Object) &&
		slices.EqualFunc(e.From, o.From, memory.Source.Same) && slices.Equal(e.Via, o.Via)
}
