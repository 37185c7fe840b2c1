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
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/process"
	"github.com/lockvet/lockvet/internal/slice"
)

// Build computes the effects of the pass's package. It returns nil for a package that
// is not the user's (std, a versioned dependency) or that cannot touch a file.
func Build(pass *analysis.Pass, c Config) *Package {
	if slice.Foreign(pass) || slice.Copied(pass) {
		return nil
	}
	l := process.New(pass)
	l.Export()
	files := touchesFiles(pass)
	if !files && !slice.HasLock(pass.Pkg) {
		return nil
	}
	s := slice.New(pass, slice.Config{Tests: c.Tests, Files: files, Acts: actors(pass)})
	if !files && s.Empty() {
		return nil
	}
	return compute(s, l, flow.NewBudget(cmp.Or(c.Limit, flow.Limit)))
}

// compute gives the effects of the kept part of a package.
func compute(s *slice.Slice, l *process.Index, b *flow.Budget) *Package {
	files := s.Files()
	p := &Package{
		Fset:    s.Pass.Fset,
		calls:   map[token.Pos]*ast.CallExpr{},
		callees: map[*ast.CallExpr]*ssa.Function{},
		byFn:    map[*ssa.Function]*Func{},
		nexts:   map[*Func][]*Func{},
		ways:    map[ssa.Instruction]way{},
		giving:  map[ssa.Value]bool{},
		forgets: map[*types.Var]bool{},
		facts:   map[*types.Func]*Summary{},
		flags:   newOpenFlags(s.Pass.Pkg),
		records: newRecordFlags(s.Pass.Pkg),
		Process: l,
		derived: map[any]any{},
	}
	solver := flow.NewSolver(b)
	p.Values = memory.NewValues(s.Pass, slice.SSA(s, files), b, solver, summaries{p})
	p.bindQueries(solver)
	p.indexCalls(files)
	p.IndexMethods(s.ActsBelow)
	p.IndexValues(s.Once)
	for _, fn := range p.SourceFuncs() {
		f := p.fn(fn)
		if f == nil { // the steps have ended
			f = &Func{SSA: fn, flow: p.Flow}
		}
		if obj, ok := fn.Object().(*types.Func); ok {
			f.Unused = s.Unused(obj)
		}
		p.byFn[fn] = f
		if s.Alone(memory.Outermost(fn).Syntax()) {
			p.Beside = append(p.Beside, f)
		} else {
			p.Funcs = append(p.Funcs, f)
		}
	}
	p.numberComponents()
	p.indexCallers()
	p.nameKept()
	return p
}

// nameKept gives the truncation of an open file that a field keeps the path under which the
// package opens it, if all that it puts there has one. What the caller of the function that opens
// it has chosen is not known elsewhere.
func (p *Package) nameKept() {
	paths := map[string]*pathexpr.Term{}
	for _, f := range p.Funcs {
		for _, k := range f.OfKind(StoreHandle) {
			if _, ok := k.At.(*ssa.Store); !ok {
				continue
			}
			key, path := k.Target.PackageKey(), k.Path.Map(unknownParam, pathexpr.Param)
			if old, ok := paths[key]; ok && !old.Equal(path) {
				path = nil
			}
			paths[key] = path
		}
	}
	for _, f := range p.Funcs {
		for _, e := range f.OfKind(Truncate) {
			if h := e.Handle.File(); h != nil && h.Kind == pathexpr.Field && paths[h.PackageKey()] != nil {
				e.Path = paths[h.PackageKey()]
			}
		}
	}
}

func unknownParam(t *pathexpr.Term) *pathexpr.Term {
	if t.Type != "" {
		return nil
	}
	return pathexpr.New(pathexpr.Unknown, t.Text)
}

// numberComponents tells the functions that call each other.
func (p *Package) numberComponents() {
	n := 0
	for comp := range flow.Components(p.All(), p.next) {
		n++
		for _, f := range comp {
			f.Component = n
		}
	}
}

// indexCallers notes of each function by which it is called, and which are around it.
func (p *Package) indexCallers() {
	for _, f := range p.All() {
		called := map[*ssa.Function]bool{f.SSA: true}
		for _, fn := range f.Callees {
			if g := p.byFn[fn]; g != nil && !called[fn] {
				called[fn] = true
				g.CalledBy = append(g.CalledBy, f)
			}
		}
		for fn := f.SSA.Parent(); fn != nil; fn = fn.Parent() {
			if g := p.byFn[fn]; g != nil {
				f.CalledBy = append(f.CalledBy, g)
			}
		}
	}
}

// bindQueries sets up the questions about functions and values that depend on each other.
func (p *Package) bindQueries(s *flow.Solver) {
	p.Flow.Ends, p.Flow.Name = p.EndsProgram, memory.FuncName
	p.funcs = (&flow.Query[*ssa.Function, *Func]{
		Question: "effects", About: memory.FuncName,
		Eval: p.walk, Equal: (*Func).same, Rounds: memory.MaxRecursion,
	}).Bind(s)
	p.yielded = (&flow.Query[*ssa.Function, [][]memory.Source]{
		Question: "sources of results", About: memory.FuncName,
		Eval: p.makeYielded, Rounds: memory.MaxRecursion, Widen: joinResults,
		Equal: func(a, b [][]memory.Source) bool { return slices.EqualFunc(a, b, memory.SameSources) },
	}).Bind(s)
	p.bits = (&flow.Query[ssa.Value, bits]{
		Question: "flags", About: memory.PlaceOf,
		Eval: p.makeBits, Equal: func(a, b bits) bool { return a == b }, Rounds: 2 * 64,
		Start: func(ssa.Value) bits { return noBits },
	}).Bind(s)
	p.endless = (&flow.Query[*ssa.Function, bool]{
		Question: "what ends the program", About: memory.FuncName,
		Eval: p.makeEndless, Equal: func(a, b bool) bool { return a == b }, Rounds: memory.MaxRecursion,
	}).Bind(s)
}

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
	return slices.EqualFunc(f.Effects, o.Effects, (*Effect).same) &&
		slices.EqualFunc(f.Results, o.Results, (*pathexpr.Term).Same) && slices.Equal(f.Fresh, o.Fresh) &&
		slices.EqualFunc(f.OfResults, o.OfResults, func(a, b []*Effect) bool {
			return slices.EqualFunc(a, b, (*Effect).same)
		})
}

// same reports whether two effects are alike in what a function tells its callers.
func (e *Effect) same(o *Effect) bool {
	return e.Kind == o.Kind && e.At == o.At && e.Pos == o.Pos && e.When == o.When &&
		e.Maybe == o.Maybe && e.Final == o.Final &&
		e.Path.Same(o.Path) && e.Target.Same(o.Target) && e.Handle.Same(o.Handle) &&
		e.Data.Same(o.Data) && e.Flags.Same(o.Flags) && e.Object.Same(o.Object) &&
		memory.SameSources(e.From, o.From) && slices.Equal(e.Via, o.Via)
}
