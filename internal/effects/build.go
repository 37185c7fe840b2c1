package effects

import (
	"cmp"
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A Package holds the effects of one package.
type Package struct {
	Fset *token.FileSet
	// Funcs are the functions in source order, literals after the function
	// around them.
	Funcs []*Func

	pass     *analysis.Pass
	ssa      *ssa.Package
	calls    map[token.Pos]*ast.CallExpr // by the position that SSA gives a call
	forgets  forgotten                   // the maps from which something is deleted
	callees  map[*ast.CallExpr]*ssa.Function
	byFn     map[*ssa.Function]*Func
	lowers   map[string]*pathexpr.Term // terms of callees in terms of callers, by key
	ways     map[ssa.Instruction]way
	comments map[token.Pos]string // see CommentAt
	giving   map[ssa.Value]bool   // the function values that are being followed

	flow    *flow.Program
	funcs   *flow.Query[*ssa.Function, *Func]
	terms   *flow.Query[ssa.Value, *pathexpr.Term]
	places  *flow.Query[ssa.Value, *pathexpr.Term]
	yielded *flow.Query[*ssa.Function, [][]Source] // what results derive from
	lines   *flow.Query[ssa.Value, Line]
	endless *flow.Query[*ssa.Function, bool] // whether it never returns

	facts    map[*types.Func]*Summary         // of functions of other packages
	refused  *flow.Query[*Effect, *Refusal]   // how called functions give up because of a check
	failures *flow.Query[failing, []*outcome] // what a function yields where an effect of it fails
	fresh    *flow.Query[ssa.Value, bool]     // whether an error is made where it stands
	flags    openFlags
	records  recordFlags
	globals  map[*ssa.Global]ssa.Value     // package variables that get one value
	fields   map[*types.Var]ssa.Value      // text fields that get one value
	locks    map[string]*ssa.Store         // by type and name: fields that get one lock or open file
	methods  map[*types.Func]*ssa.Function // interface methods that one type of the package has
	writers  map[string]ssa.Value          // by type and name, the fields that get one writer
	stores   map[*types.Var]*stores        // how often each field is assigned to
	callers  *Callers                      // nil until it is asked for
	leads    *leads
	derived  map[any]any              // see Derived
	owners   map[*types.TypeName]bool // types whose objects have a lock between processes; nil until it is asked for
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
	l := newLeads(pass)
	l.export()
	if !touchesFiles(pass) {
		return nil
	}
	p := compute(newSlice(pass, c.Tests), flow.NewBudget(cmp.Or(c.Limit, flow.Limit)))
	p.leads = l
	return p
}

// compute gives the effects of the kept part of a package.
func compute(s *slice, b *flow.Budget) *Package {
	files := s.files()
	p := &Package{
		Fset:     s.pass.Fset,
		pass:     s.pass,
		ssa:      buildSSA(s, files),
		calls:    map[token.Pos]*ast.CallExpr{},
		callees:  map[*ast.CallExpr]*ssa.Function{},
		byFn:     map[*ssa.Function]*Func{},
		lowers:   map[string]*pathexpr.Term{},
		ways:     map[ssa.Instruction]way{},
		comments: map[token.Pos]string{},
		giving:   map[ssa.Value]bool{},
		facts:    map[*types.Func]*Summary{},
		flags:    newOpenFlags(s.pass.Pkg),
		records:  newRecordFlags(s.pass.Pkg),
		globals:  map[*ssa.Global]ssa.Value{},
		fields:   map[*types.Var]ssa.Value{},
		locks:    map[string]*ssa.Store{},
		methods:  map[*types.Func]*ssa.Function{},
		writers:  map[string]ssa.Value{},
		stores:   s.stores,
		derived:  map[any]any{},
	}
	p.bindQueries(b)
	p.indexCalls(files)
	p.indexMethods()
	p.indexValues(s)
	for _, fn := range p.sourceFuncs() {
		f := p.fn(fn)
		if f == nil { // the steps have ended
			f = &Func{SSA: fn, flow: p.flow}
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
func (p *Package) bindQueries(b *flow.Budget) {
	p.flow = flow.NewProgram(b)
	p.flow.Ends, p.flow.Name = p.endsProgram, FuncName
	s := flow.NewSolver(b)
	p.funcs = (&flow.Query[*ssa.Function, *Func]{Question: "effects", About: FuncName, Eval: p.walk, Equal: (*Func).same, Rounds: maxRecursion}).Bind(s)
	p.terms = (&flow.Query[ssa.Value, *pathexpr.Term]{Question: "values", About: placeOf, Eval: p.makeTerm, Start: p.unknown, Cut: varies, Equal: (*pathexpr.Term).Same, Rounds: maxRecursion}).Bind(s)
	p.places = (&flow.Query[ssa.Value, *pathexpr.Term]{Question: "memory", About: placeOf, Eval: p.makeMemory, Equal: (*pathexpr.Term).Same, Rounds: maxRecursion}).Bind(s)
	p.yielded = (&flow.Query[*ssa.Function, [][]Source]{Question: "sources of results", About: FuncName, Eval: p.makeYielded, Equal: func(a, b [][]Source) bool { return slices.EqualFunc(a, b, sameSources) }, Rounds: maxRecursion}).Bind(s)
	p.lines = (&flow.Query[ssa.Value, Line]{Question: "lines", About: placeOf, Eval: p.makeLine, Equal: func(a, b Line) bool { return a == b }, Rounds: maxRecursion}).Bind(s)
	p.fresh = (&flow.Query[ssa.Value, bool]{Question: "errors", About: placeOf, Eval: p.isFresh, Equal: func(a, b bool) bool { return a == b }, Rounds: maxRecursion}).Bind(s)
	p.refused = (&flow.Query[*Effect, *Refusal]{Question: "refusals", About: func(e *Effect) string { return FuncName(e.instr.Parent()) }, Eval: p.refusalOf, Rounds: 2}).Bind(s)
	p.failures = (&flow.Query[failing, []*outcome]{Question: "failure of a load", About: func(f failing) string { return FuncName(f.e.instr.Parent()) }, Eval: p.makeOutcomes, Rounds: 2}).Bind(s)
	p.endless = (&flow.Query[*ssa.Function, bool]{Question: "what ends the program", About: FuncName, Eval: p.makeEndless, Equal: func(a, b bool) bool { return a == b }, Rounds: maxRecursion}).Bind(s)
}

// placeOf is the function in which a value is computed, by the name that a reader knows.
// A constant has none.
func placeOf(v ssa.Value) string {
	if fn := v.Parent(); fn != nil {
		return FuncName(fn)
	}
	switch v := v.(type) {
	case *ssa.Function:
		return FuncName(v)
	case *ssa.Global:
		return "variable " + v.Name()
	}
	return ""
}

// maxRecursion bounds the rounds in which functions, or values, that depend on each
// other are settled: what a function does by so many calls of itself adds nothing to
// what it does by fewer. It is more than maxDepth, so that a term that grows with each
// round is unknown before they end.
const maxRecursion = 16

// varies reports whether a value can be another each time round a loop: what depends on
// itself through it is told no more than its name.
func varies(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Phi:
		return true
	case *ssa.UnOp:
		return v.Op == token.MUL
	}
	return false
}

// Flow is the control flow of the package's functions, with its budget.
func (p *Package) Flow() *flow.Program { return p.flow }

// GaveUp lists the questions about the package that were not answered.
func (p *Package) GaveUp() []flow.GaveUp { return p.flow.GaveUp() }

// GiveUp notes that a question about the package is not answered.
func (p *Package) GiveUp(question string) { p.flow.GiveUp(question, "") }

// Ended reports whether the steps have ended that the analysis of the package may take.
// What the package has answered since may be wrong.
func (p *Package) Ended() bool { return p.flow.Ended() }

// Steps are those that the analysis of the package has taken.
func (p *Package) Steps() int { return p.flow.Steps() }

// foreign reports whether the package is std or a dependency at a version:
// what those do stands in package known. A driver that tells no module (nogo)
// has everything else analysed.
func foreign(pass *analysis.Pass) bool {
	if pass.Module != nil && pass.Module.Version != "" {
		return true
	}
	if pass.Module != nil && pass.Module.Path != "" && pass.Module.Path != "std" {
		return false
	}
	if len(pass.Files) == 0 {
		return true
	}
	file := filepath.ToSlash(pass.Fset.Position(pass.Files[0].FileStart).Filename)
	root := filepath.ToSlash(build.Default.GOROOT)
	inRoot := root != "" && strings.HasPrefix(file, root+"/src/") || strings.HasPrefix(file, "$GOROOT/")
	return inRoot && !strings.HasPrefix(pass.Pkg.Path(), "cmd/")
}

// copied reports whether the package is the copy of safeio that the command
// puts into modules under repair.
func copied(pass *analysis.Pass) bool {
	for _, f := range pass.Files {
		for _, g := range f.Comments {
			if g.Pos() < f.Package && strings.HasPrefix(g.List[0].Text, "// Code generated by lockvet ") {
				return true
			}
		}
	}
	return false
}

// touchesFiles is the gate in front of SSA: only a package that names a function
// which acts on files, or one of which a fact says so, or two of which one loads what
// the other saves, can have an effect.
func touchesFiles(pass *analysis.Pass) bool {
	telling := map[*types.Package]bool{}
	for _, imp := range pass.Pkg.Imports() {
		telling[imp] = pass.ImportPackageFact(imp, new(touches))
	}
	seen := map[*types.Func]bool{}
	named := halves{loads: map[string]bool{}, saves: map[string]bool{}}
	for _, obj := range pass.TypesInfo.Uses {
		fn, ok := obj.(*types.Func)
		if !ok || fn.Pkg() == nil || fn.Pkg() == pass.Pkg || seen[fn] {
			continue
		}
		seen[fn] = true
		if known.ActsOnFiles(fn) {
			return true
		}
		var s Summary
		if telling[fn.Pkg()] && pass.ImportObjectFact(fn.Origin(), &s) && (s.writesGivenPath() || named.add(&s)) {
			return true
		}
	}
	return false
}

// halves are the files that functions of other packages load, and those that they
// save, by their abstract paths.
type halves struct{ loads, saves map[string]bool }

// add notes the files of a function, and reports whether one of these is loaded and
// saved now.
func (h halves) add(s *Summary) bool {
	whole := false
	for _, e := range s.Effects {
		path, half, other := e.Path.Abstract(), h.loads, h.saves
		switch e.Kind {
		case Read:
		case Truncate, Rename, Replace:
			half, other = h.saves, h.loads
			if e.Kind == Rename {
				path = e.Target.Abstract()
			}
		default:
			continue
		}
		if path != "" {
			half[path] = true
			whole = whole || other[path]
		}
	}
	return whole
}

// writesGivenPath reports whether a function writes a file that its caller names, or
// that belongs to an object of its caller's: only then can the caller know more of it
// than the function's own package.
func (s *Summary) writesGivenPath() bool {
	for _, e := range s.Effects {
		switch e.Kind {
		case Write, Replace:
			if e.Object != nil {
				return true
			}
		case Truncate, Open, CreateExclusive, Rename, opening:
			if givenPath(e.Path) || givenPath(e.Target) {
				return true
			}
		}
	}
	return false
}

// buildSSA builds SSA for the slice alone. Of other packages SSA wants only
// those whose functions and variables the source names, as types without
// bodies; methods it makes on demand. Creating the whole import closure costs
// more than everything else together.
func buildSSA(s *slice, files []*ast.File) *ssa.Package {
	prog := ssa.NewProgram(s.pass.Fset, ssa.BareInits)
	for _, pkg := range s.imports() {
		prog.CreatePackage(pkg, nil, nil, true)
	}
	pkg := prog.CreatePackage(s.pass.Pkg, files, s.info(files), false)
	pkg.Build()
	return pkg
}

// packageLevel reports whether obj is a function or variable of a package.
func packageLevel(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Signature().Recv() == nil
	case *types.Var:
		return obj.Parent() == obj.Pkg().Scope()
	}
	return false
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

// indexValues finds the package variables and the fields of text, of writers and
// of locks that are given exactly one value: by the package's initialisation, by
// a constructor.
func (p *Package) indexValues(s *slice) {
	visit := func(fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if st, ok := i.(*ssa.Store); ok {
					p.indexStore(s, st)
				}
			}
		}
	}
	for _, fn := range p.sourceFuncs() {
		visit(fn)
	}
	if init := p.ssa.Func("init"); init != nil {
		visit(init)
	}
}

func (p *Package) indexStore(s *slice, st *ssa.Store) {
	switch addr := st.Addr.(type) {
	case *ssa.Global:
		if v, ok := addr.Object().(*types.Var); ok && s.once(v) {
			p.globals[addr] = st.Val
		}
	case *ssa.FieldAddr:
		of := structOf(addr.X.Type())
		if of == nil {
			return
		}
		v := of.Field(addr.Field).Origin()
		switch typ := namedType(addr.X.Type()); {
		case v.Pkg() != s.pass.Pkg || !s.once(v):
		case isString(st.Val.Type()):
			p.fields[v] = st.Val
		case known.CanLock(st.Val.Type()) && typ != "" && !isNil(st.Val):
			p.locks[typ+"."+v.Name()] = st
		case isWriter(st.Val.Type()):
			p.writers[typ+"."+v.Name()] = st.Val
		}
	}
}

// inTestFile reports whether pos stands in a _test.go file.
func inTestFile(fset *token.FileSet, pos token.Pos) bool {
	return strings.HasSuffix(fset.Position(pos).Filename, "_test.go")
}

// indexMethods finds the methods behind the package's own interfaces that only
// one of its types outside of tests implements: a seam for tests, whose real
// side is that type.
func (p *Package) indexMethods() {
	scope := p.pass.Pkg.Scope()
	var ifaces, concrete []*types.Named
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || inTestFile(p.Fset, tn.Pos()) {
			continue
		}
		named, ok := tn.Type().(*types.Named)
		switch {
		case !ok || named.TypeParams().Len() > 0:
		case types.IsInterface(named):
			ifaces = append(ifaces, named)
		default:
			concrete = append(concrete, named)
		}
	}
	for _, i := range ifaces {
		if impl := onlyImplementation(i, concrete); impl != nil {
			p.bind(i.Underlying().(*types.Interface), impl)
		}
	}
}

func onlyImplementation(i *types.Named, concrete []*types.Named) types.Type {
	iface := i.Underlying().(*types.Interface)
	if iface.NumMethods() == 0 {
		return nil
	}
	var impl types.Type
	for _, c := range concrete {
		if types.Implements(types.NewPointer(c), iface) {
			if impl != nil {
				return nil
			}
			impl = types.NewPointer(c)
		}
	}
	return impl
}

// BehindInterface reports whether fn is the method of a type for which an
// interface of the package, with that method, stands in.
func (p *Package) BehindInterface(fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	if recv == nil {
		return false
	}
	scope := p.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !types.IsInterface(tn.Type()) {
			continue
		}
		iface := tn.Type().Underlying().(*types.Interface)
		has := slices.ContainsFunc(slices.Collect(iface.Methods()), func(m *types.Func) bool { return m.Name() == fn.Name() })
		if has && types.Implements(recv.Type(), iface) {
			return true
		}
	}
	return false
}

func (p *Package) bind(iface *types.Interface, impl types.Type) {
	for m := range iface.Methods() {
		if m.Pkg() != p.pass.Pkg {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(impl, true, m.Pkg(), m.Name())
		if fn, ok := obj.(*types.Func); ok && fn.Pkg() == p.pass.Pkg {
			p.methods[m] = p.ssa.Prog.FuncValue(fn)
		}
	}
}

// sourceFuncs lists the functions with a body, in source order.
func (p *Package) sourceFuncs() []*ssa.Function {
	var list []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		list = append(list, fn)
		for _, lit := range fn.AnonFuncs {
			add(lit)
		}
	}
	for _, f := range p.pass.Files {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Body == nil {
				continue
			}
			obj, ok := p.pass.TypesInfo.Defs[fd.Name].(*types.Func)
			if !ok {
				continue
			}
			if fn := p.ssa.Prog.FuncValue(obj); fn != nil && len(fn.Blocks) > 0 {
				add(fn)
			}
		}
	}
	if init := p.ssa.Func("init"); init != nil {
		for _, lit := range init.AnonFuncs {
			add(lit)
		}
	}
	return list
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

// Call is the syntax of a call, nil where it has none.
func (p *Package) Call(c ssa.CallInstruction) *ast.CallExpr { return p.calls[c.Common().Pos()] }

// Callee returns the declared function of the package that a call leads to, nil
// for any other call.
func (p *Package) Callee(call *ast.CallExpr) *Func { return p.byFn[p.callees[call]] }

// Body returns the function of the package that a call leads to, literals
// included; nil for any other call.
func (p *Package) Body(c *ssa.CallCommon) *ssa.Function {
	if lit := p.static(c); lit != nil && lit.Parent() != nil && lit.Pkg == p.ssa {
		return lit
	}
	if fn := p.callee(c); fn != nil {
		return p.body(c, fn)
	}
	return nil
}

// maxEffects bounds what one function is taken to do by what it calls: where there is
// more, what comes last is not known, and the run says so.
const maxEffects = 4000

// fn is a function with its effects; nil for one that calls itself, where nothing is
// known of that yet.
func (p *Package) fn(fn *ssa.Function) *Func { return p.funcs.Ask(fn) }

// walk computes a function's effects.
func (p *Package) walk(fn *ssa.Function) *Func {
	w := &walker{p: p, f: &Func{SSA: fn, flow: p.flow}}
	w.walk()
	return w.f
}

// same reports whether two rounds have found the same of a function.
func (f *Func) same(o *Func) bool {
	if f == nil || o == nil {
		return f == o
	}
	return slices.EqualFunc(f.Effects, o.Effects, (*Effect).same) && slices.EqualFunc(f.Local, o.Local, (*Effect).same) &&
		slices.EqualFunc(f.Results, o.Results, (*pathexpr.Term).Same) && slices.Equal(f.fresh, o.fresh) &&
		slices.EqualFunc(f.gives, o.gives, func(a, b []*Effect) bool { return slices.EqualFunc(a, b, (*Effect).same) })
}

// same reports whether two effects are alike in what a function tells its callers.
func (e *Effect) same(o *Effect) bool {
	return e.Kind == o.Kind && e.instr == o.instr && e.Pos == o.Pos && e.When == o.When && e.Maybe == o.Maybe && e.Final == o.Final &&
		e.Path.Same(o.Path) && e.Target.Same(o.Target) && e.Handle.Same(o.Handle) && e.Data.Same(o.Data) && e.Object.Same(o.Object) &&
		sameSources(e.From, o.From) && slices.Equal(e.Via, o.Via)
}
