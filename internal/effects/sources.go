package effects

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A Source is where a value comes from: the content of a file, or memory that the
// function was given.
type Source struct {
	// Term is the Content of a file, or the memory: a parameter, a field of one,
	// a package variable.
	Term *pathexpr.Term

	at    ssa.Instruction // where the owner of the list has the content from
	local ssa.Value       // the memory, where a function made it itself
	reads []ssa.Instruction
}

// Reads are the instructions of the owner of the list that read memory: loads,
// and calls in which it is read.
func (s Source) Reads() []ssa.Instruction { return s.reads }

// random reports whether it is the system's source of randomness.
func (s Source) random() bool {
	return s.Term.Kind == pathexpr.Global && s.Term.Text == "crypto/rand.Reader"
}

// File is the path of the file whose content it is, nil for memory.
func (s Source) File() *pathexpr.Term {
	if s.Term.Kind != pathexpr.Content {
		return nil
	}
	return s.Term.Args[0].Path()
}

func (s Source) same(o Source) bool {
	return s.at == o.at && s.local == o.local && s.Term.Same(o.Term) && sameReads(s.reads, o.reads)
}

// sameReads reports whether two lists have the same reads in any order. Of those that
// are full, which reads found a place makes no difference.
func sameReads(a, b []ssa.Instruction) bool {
	return len(a) == len(b) && (len(a) == maxReads || !slices.ContainsFunc(a, func(i ssa.Instruction) bool { return !slices.Contains(b, i) }))
}

// sameSources reports whether two lists have the same sources in any order: functions
// that call each other tell them in another one each time.
func sameSources(a, b []Source) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(s Source) bool { return !slices.ContainsFunc(b, s.same) })
}

// Bounds of what is followed: a value that is made of more memory is no longer anything
// that was read and changed. Files and arguments have a place beside as much memory as
// there is.
const (
	maxMemory = 8
	maxOthers = 16
	maxReads  = 8 // of the same memory
	maxVisits = 400
)

// A tracer follows a value back to its sources.
type tracer struct {
	p      *Package
	seen   map[ssa.Value]bool
	budget int
	list   []Source
	around bool            // what is given comes from a function that leads back to this one
	whole  bool            // parts that are a number, an answer or a time are let be
	user   ssa.Instruction // what has the value that is visited from memory, or is given it
}

// sources are the files and the memory that the values derive from.
func (p *Package) sources(values ...ssa.Value) []Source {
	t := p.newTracer()
	t.visitAll(values)
	return t.list
}

func (p *Package) newTracer() *tracer {
	return &tracer{p: p, seen: map[ssa.Value]bool{}, budget: maxVisits}
}

func (t *tracer) add(s Source) { t.list = addSource(t.list, s) }

// addSource adds a source that is not in the list yet.
func addSource(list []Source, s Source) []Source {
	i := slices.IndexFunc(list, func(o Source) bool { return o.at == s.at && o.Term.Key() == s.Term.Key() })
	switch {
	case i >= 0:
		list[i].reads = union(list[i].reads, s.reads)
	case roomFor(list, s):
		list = append(list, s)
	}
	return list
}

// roomFor reports whether a list can take one more source.
func roomFor(list []Source, s Source) bool {
	most := maxOthers
	if s.isMemory() {
		most = maxMemory
	}
	n := 0
	for _, o := range list {
		if o.isMemory() == s.isMemory() {
			n++
		}
	}
	return n < most
}

// isMemory reports whether a source is neither a file nor an argument.
func (s Source) isMemory() bool {
	return s.Term.Kind != pathexpr.Content && s.Term.Kind != pathexpr.Param
}

// union adds to one list what it does not have of another; neither is changed.
func union(a, b []ssa.Instruction) []ssa.Instruction {
	for _, i := range b {
		if len(a) < maxReads && !slices.Contains(a, i) {
			a = append(slices.Clip(a), i)
		}
	}
	return a
}

// readAt are the instructions of a source that is read by one.
func readAt(i ssa.Instruction) []ssa.Instruction {
	if i == nil {
		return nil
	}
	return []ssa.Instruction{i}
}

// using visits values in the name of the instruction that has them.
func (t *tracer) using(user ssa.Instruction, values ...ssa.Value) {
	outer := t.user
	t.user = user
	t.visitAll(values)
	t.user = outer
}

func (t *tracer) visit(v ssa.Value) {
	if v == nil || t.seen[v] || t.budget == 0 || !carries(v.Type()) || t.whole && isDetail(v) {
		return
	}
	t.seen[v] = true
	t.budget--
	if i, ok := v.(ssa.Instruction); ok && isOSFile(v.Type()) {
		if h := t.p.term(v); h.File().Kind == pathexpr.Handle {
			t.add(Source{Term: pathexpr.New(pathexpr.Content, "", h.Path()), at: opener(i)})
			return
		}
	}
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.Global:
		t.memory(v)
	case *ssa.FreeVar:
		t.captured(v)
	case *ssa.Alloc:
		t.object(v)
	case *ssa.MakeMap, *ssa.MakeSlice:
		t.object(v)
	case *ssa.Call:
		t.call(v, 0)
	case *ssa.Extract:
		t.extract(v)
	case *ssa.Phi:
		t.add(Source{Term: t.p.unknown(v), local: v})
		for _, e := range v.Edges {
			t.visit(e)
		}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			t.using(v, v.X)
		}
	case *ssa.BinOp:
		if !isBool(v.Type()) {
			t.visit(v.X)
			t.visit(v.Y)
		}
	case *ssa.FieldAddr:
		t.part(v, v.X)
	case *ssa.Field:
		t.part(v, v.X)
	case *ssa.IndexAddr:
		t.visit(v.X)
	case *ssa.Index:
		t.visit(v.X)
	case *ssa.Lookup:
		t.visit(v.X)
	case *ssa.Slice:
		t.visit(v.X)
	default:
		t.visit(converted(v))
	}
}

// carries reports whether a value of the type can hold what a file held; errors
// and answers cannot.
func carries(t types.Type) bool {
	return !isErrorType(t) && !isBool(t)
}

// isDetail reports whether a value is a number, a text or a time in something
// larger.
func isDetail(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		switch v.X.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr:
			return isSmall(v.Type())
		}
	case *ssa.Field, *ssa.Index, *ssa.Lookup:
		return isSmall(v.Type())
	}
	return false
}

func isSmall(t types.Type) bool {
	_, basic := t.Underlying().(*types.Basic)
	return basic || known.IsType(t, "time", "Time")
}

// opener is the call behind the result in which a handle comes.
func opener(i ssa.Instruction) ssa.Instruction {
	if x, ok := i.(*ssa.Extract); ok {
		if call, ok := x.Tuple.(*ssa.Call); ok {
			return call
		}
	}
	return i
}

// converted is the value inside a conversion, nil for anything else.
func converted(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return v.X
	case *ssa.ChangeType:
		return v.X
	case *ssa.ChangeInterface:
		return v.X
	case *ssa.Convert:
		return v.X
	case *ssa.TypeAssert:
		return v.X
	}
	return nil
}

// memory notes memory that the function was given.
func (t *tracer) memory(v ssa.Value) {
	if m := t.p.memory(v); m != nil {
		t.add(Source{Term: m, reads: readAt(t.user)})
	}
}

// part is a field: of memory that was given its own, of anything else the whole.
func (t *tracer) part(v, of ssa.Value) {
	if m := t.p.memory(v); m != nil && rooted(m) {
		t.add(Source{Term: m, reads: readAt(v.(ssa.Instruction))})
		return
	}
	t.visit(of)
}

// captured is a variable of the function around a literal.
func (t *tracer) captured(v *ssa.FreeVar) {
	if b := binding(v); b != nil {
		n := len(t.list)
		t.visit(b)
		for i := n; i < len(t.list); i++ {
			t.list[i].Term = lift(t.list[i].Term)
		}
	}
	t.stored(v)
}

// object is memory that a function makes: all that is put into it.
func (t *tracer) object(v ssa.Value) {
	t.add(Source{Term: t.p.unknown(v), local: v})
	t.stored(v)
}

// stored visits what is stored at an address or into a map, or into a part of it.
func (t *tracer) stored(v ssa.Value) {
	for _, ref := range flow.Uses(v) {
		switch r := ref.(type) {
		case *ssa.Store:
			if r.Addr == v {
				t.visit(r.Val)
			}
		case *ssa.MapUpdate:
			if r.Map == v {
				t.visit(r.Value)
				t.visit(r.Key)
			}
		case *ssa.FieldAddr, *ssa.IndexAddr:
			t.within(r.(ssa.Value))
		case *ssa.UnOp:
			if _, ok := r.Type().Underlying().(*types.Map); ok && r.Op == token.MUL {
				t.within(r)
			}
		case *ssa.Call:
			if t.p.copies(&r.Call) && r.Call.Args[0] == v {
				t.using(r, r.Call.Args[1])
			}
		}
	}
}

// copies reports whether a call copies its second argument into the first.
func (p *Package) copies(c *ssa.CallCommon) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name() == "copy"
	}
	fn := p.callee(c)
	return known.Is(fn, "maps.Copy")
}

// within visits what is stored through an address once.
func (t *tracer) within(addr ssa.Value) {
	if !t.seen[addr] && t.budget > 0 {
		t.seen[addr] = true
		t.budget--
		t.stored(addr)
	}
}

func (t *tracer) extract(v *ssa.Extract) {
	switch tuple := v.Tuple.(type) {
	case *ssa.Call:
		t.call(tuple, v.Index)
	case *ssa.TypeAssert:
		t.visit(tuple.X)
	case *ssa.Lookup:
		t.visit(tuple.X)
	case *ssa.Next:
		if r, ok := tuple.Iter.(*ssa.Range); ok {
			t.visit(r.X)
		}
	}
}

// call visits result i of a call.
func (t *tracer) call(call *ssa.Call, i int) {
	t.add(Source{Term: t.p.resultTerm(call, i), local: call})
	c := &call.Call
	args := callArgs(c)
	if b, ok := c.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" {
			t.using(call, args...)
		}
		return
	}
	fn := t.p.callee(c)
	if row, ok := known.Lookup(fn); ok && row.Op != known.None {
		t.known(row, call, args)
		return
	}
	if body := t.p.Body(c); body != nil {
		from := t.p.from(body, i)
		around := t.around
		t.around = t.p.yielded.Open(body)
		t.given(from, call, args)
		t.around = around
		return
	}
	if fn != nil {
		if fact := t.p.fact(fn); fact != nil {
			if i < len(fact.From) {
				t.given(sourcesOf(fact.From[i]), call, args)
			}
			return
		}
	}
	t.using(call, args...)
}

// resultTerm identifies result i of a call as memory.
func (p *Package) resultTerm(call *ssa.Call, i int) *pathexpr.Term {
	for _, ref := range flow.Uses(call) {
		if x, ok := ref.(*ssa.Extract); ok && x.Index == i {
			return p.unknown(x)
		}
	}
	return p.unknown(call)
}

func (t *tracer) visitAll(values []ssa.Value) {
	for _, v := range values {
		t.visit(v)
	}
}

// known is the result of a function of the tables.
func (t *tracer) known(row known.Row, call *ssa.Call, args []ssa.Value) {
	switch row.Op {
	case known.ReadFile:
		t.add(Source{Term: pathexpr.New(pathexpr.Content, "", t.p.term(args[row.A]).Path()), at: call})
	case known.ReadAll, known.Encode, known.Wrap, known.Same, known.Akin, known.Decode, known.DecodeFrom, known.Read:
		t.using(call, args[min(row.A, len(args)-1)])
	case known.Format:
		t.using(call, args...)
	}
}

// given are the sources of a result, or of an effect, in terms of the call.
func (t *tracer) given(from []Source, call ssa.Instruction, args []ssa.Value) {
	for _, s := range from {
		switch {
		case s.File() != nil:
			s.Term = lower(s.Term, t.p.argTerms(args))
			if s.at == nil || s.at.Parent() != call.Parent() {
				s.at = call
			}
			t.add(s)
		case s.local != nil:
			t.add(s) // of the function around a literal
		default:
			t.through(s, call, args)
		}
	}
}

// through are the sources of memory of a callee: of the argument that it lies in.
// What a literal reads of the function around it was read before the call.
func (t *tracer) through(s Source, call ssa.Instruction, args []ssa.Value) {
	given, i := t.p.lowerMemory(s.Term, args), rootParam(s.Term)
	if t.around && goesDeeper(given) {
		given = pathexpr.New(pathexpr.Unknown, "")
	}
	if i < 0 || i >= len(args) || rooted(given) {
		reads := slices.DeleteFunc(slices.Clone(s.reads), func(i ssa.Instruction) bool { return i.Parent() != call.Parent() })
		if len(reads) == 0 {
			reads = readAt(call)
		}
		t.add(Source{Term: given, reads: reads})
		return
	}
	t.add(Source{Term: given, local: args[i]})
	t.using(call, args[i])
}

// goesDeeper reports whether memory lies in the same field twice: a function that calls
// itself with what a field of its argument points to would name more with each call.
func goesDeeper(m *pathexpr.Term) bool {
	for ; m.Kind == pathexpr.Field; m = m.Args[0] {
		for in := m.Args[0]; in.Kind == pathexpr.Field; in = in.Args[0] {
			if in.Text == m.Text && in.Type == m.Type {
				return true
			}
		}
	}
	return false
}

func (p *Package) restateSources(from []Source, args []ssa.Value, at ssa.Instruction) []Source {
	if len(from) == 0 {
		return nil
	}
	t := p.newTracer()
	t.given(from, at, args)
	return t.list
}

// memory is the term of what v points to or holds, nil where that is text or
// cannot be told.
func (p *Package) memory(v ssa.Value) *pathexpr.Term { return p.places.Ask(v) }

func (p *Package) makeMemory(v ssa.Value) *pathexpr.Term {
	switch v := v.(type) {
	case *ssa.Parameter:
		return p.term(v)
	case *ssa.Global:
		return pathexpr.New(pathexpr.Global, p.globalTerm(v).Text)
	case *ssa.FreeVar:
		if b := binding(v); b != nil {
			return raise(p.memory(b))
		}
	case *ssa.Alloc:
		if only := onlyStored(v); only != nil {
			return p.memory(only)
		}
		return p.unknown(v)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return p.memory(v.X)
		}
	case *ssa.FieldAddr:
		return p.memoryField(v.X, v.Field)
	case *ssa.Field:
		return p.memoryField(v.X, v.Field)
	case *ssa.IndexAddr:
		return p.memory(v.X)
	case *ssa.Lookup:
		return p.memory(v.X)
	case *ssa.Slice:
		return p.memory(v.X)
	case *ssa.Const:
		return nil
	default:
		if in := converted(v); in != nil {
			return p.memory(in)
		}
		return p.unknown(v)
	}
	return nil
}

// onlyStored is the pointer that a variable of pointer type is given once, or the
// parameter that it holds.
func onlyStored(a *ssa.Alloc) ssa.Value {
	list := flow.StoresTo(a)
	if len(list) != 1 || list[0].Parent() != a.Parent() {
		return nil
	}
	val := list[0].Val
	if _, ok := val.(*ssa.Parameter); ok {
		return val
	}
	if _, ok := val.Type().Underlying().(*types.Pointer); ok && !isNil(val) {
		return val
	}
	return nil
}

func (p *Package) memoryField(base ssa.Value, index int) *pathexpr.Term {
	of, s := p.memory(base), structOf(base.Type())
	if of == nil || s == nil || of.Depth() > maxDepth {
		return nil
	}
	return pathexpr.NewField(of, namedType(base.Type()), s.Field(index).Name())
}

// root is the memory in which a field lies.
func root(m *pathexpr.Term) *pathexpr.Term {
	for m.Kind == pathexpr.Field {
		m = m.Args[0]
	}
	return m
}

// rooted reports whether the memory outlives the function: a parameter's or a
// package variable's.
func rooted(m *pathexpr.Term) bool {
	k := root(m).Kind
	return k == pathexpr.Param || k == pathexpr.Global
}

// rootParam is the parameter in which memory lies, -1 for any other memory.
func rootParam(m *pathexpr.Term) int {
	if r := root(m); r.Kind == pathexpr.Param {
		return r.Index
	}
	return -1
}

// lowerMemory puts memory of a callee in terms of its caller.
func (p *Package) lowerMemory(m *pathexpr.Term, args []ssa.Value) *pathexpr.Term {
	i := rootParam(m)
	switch {
	case i < 0:
		return m
	case i >= outer:
		return lower(m, nil)
	case i >= len(args):
		return pathexpr.New(pathexpr.Unknown, "")
	}
	arg := p.memory(args[i])
	if arg == nil {
		return pathexpr.New(pathexpr.Unknown, "")
	}
	return m.Map(func(x *pathexpr.Term) *pathexpr.Term {
		if x.Kind == pathexpr.Param {
			return arg
		}
		return nil
	})
}

// from is what result i of a function of the package derives from.
func (p *Package) from(fn *ssa.Function, i int) []Source {
	if from := p.yielded.Ask(fn); i < len(from) {
		return from[i]
	}
	return nil
}

// makeYielded is what the results of a function derive from.
func (p *Package) makeYielded(fn *ssa.Function) [][]Source {
	f := p.fn(fn)
	if f == nil {
		return nil
	}
	x := newSettler(f)
	from := make([][]Source, fn.Signature.Results().Len())
	for n := range from {
		from[n] = x.settled(p.returned(fn, n), nil)
	}
	return from
}

// returned are the sources of result i over all returns.
func (p *Package) returned(fn *ssa.Function, i int) []Source {
	var list []Source
	for r := range flow.Returns(fn) {
		if i >= len(r.Results) {
			continue
		}
		for _, s := range p.sources(r.Results[i]) {
			list = addSource(list, s)
		}
	}
	return list
}

// Place is the value in which memory lies, and the fields that lead to it from
// there: "store.jobs". It is nil where the function was not given the memory.
func (f *Func) Place(m *pathexpr.Term) (of ssa.Value, path string) {
	if m.Kind == pathexpr.Field {
		of, path = f.Place(m.Args[0])
		return of, strings.TrimPrefix(path+"."+m.Text, ".")
	}
	fn, n := f.SSA, m.Index
	switch m.Kind {
	case pathexpr.Param:
		for ; n >= outer && fn.Parent() != nil; n -= outer {
			fn = fn.Parent()
		}
		if n < len(fn.Params) {
			return fn.Params[n], ""
		}
	case pathexpr.Global:
		if name, ok := strings.CutPrefix(m.Text, fn.Pkg.Pkg.Path()+"."); ok {
			if g, ok := fn.Pkg.Members[name].(*ssa.Global); ok {
				return g, ""
			}
		}
	}
	return nil, ""
}

// settle gives every write and every change of memory of the function what it
// derives from, once all of its effects are known.
func (w *walker) settle() {
	for _, e := range w.f.Effects {
		if e.bytes != nil {
			e.From = w.p.sources(e.bytes...)
			e.bytes = nil
		}
	}
	w.parts()
	x := newSettler(w.f)
	for _, e := range w.f.Effects {
		if len(e.From) > 0 && (e.Kind == Write || e.Kind == Replace || e.Kind == Fill) {
			e.From = x.settled(slices.Clone(e.From), e)
		}
	}
	w.f.Effects = slices.DeleteFunc(w.f.Effects, func(e *Effect) bool { return e.Kind == Fill && len(e.From) == 0 && e.Object == nil })
	w.objects()
}

// fill notes that what reads derives from is put into the memory at addr.
func (w *walker) fill(addr ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When, values ...ssa.Value) {
	m := w.p.memory(addr)
	if m == nil {
		return
	}
	w.add(&Effect{Kind: Fill, Target: m, bytes: values}, i, c, when)
}

// decoded notes that what is decoded goes into the other arguments of the call.
func (w *walker) decoded(row known.Row, args []ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When) {
	for _, arg := range others(args, row.A) {
		switch unwrapped(arg).Type().Underlying().(type) {
		case *types.Pointer, *types.Interface:
			w.fill(arg, i, c, when, args[row.A])
		}
	}
}

// unwrapped is the value inside an interface.
func unwrapped(v ssa.Value) ssa.Value {
	if in := converted(v); in != nil {
		return in
	}
	return v
}

// others are the arguments but for argument n.
func others(args []ssa.Value, n int) []ssa.Value {
	if n < 0 || n >= len(args) {
		return args
	}
	return slices.Concat(args[:n:n], args[n+1:])
}

// restateData puts what an effect's data derive from in terms of a call.
func (p *Package) restateData(e *Effect, args []ssa.Value, at ssa.Instruction) {
	e.From = p.restateSources(e.From, args, at)
	if e.Kind == Fill {
		e.Target = p.lowerMemory(e.Target, args)
	}
	if e.Object != nil {
		e.Object = p.lowerMemory(e.Object, args)
	}
}

// assigned notes a store into memory that outlives the function.
func (w *walker) assigned(addr, val ssa.Value, i ssa.Instruction) {
	if !carries(val.Type()) || isOSFile(val.Type()) {
		return
	}
	m := w.p.memory(addr)
	if m == nil || !rooted(m) && !captures(addr) {
		return
	}
	from := w.p.sources(val)
	if !slices.ContainsFunc(from, func(s Source) bool { return s.File() != nil || s.local != nil }) {
		return
	}
	w.seq++
	w.f.Effects = append(w.f.Effects, &Effect{Kind: Fill, Target: m, From: from, In: w.f.SSA, Pos: i.Pos(), instr: i, seq: w.seq, flow: w.p.flow})
}

// captures reports whether an address lies in a variable of the function around a
// literal.
func captures(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.FreeVar:
		return true
	case *ssa.FieldAddr:
		return captures(a.X)
	case *ssa.UnOp:
		return captures(a.X)
	}
	return false
}

// sourcesOf are the sources that a fact tells of.
func sourcesOf(terms []*pathexpr.Term) []Source {
	list := make([]Source, len(terms))
	for i, t := range terms {
		list[i] = Source{Term: t}
	}
	return list
}

// told are the sources that mean the same to a caller elsewhere.
func told(from []Source) []*pathexpr.Term {
	var list []*pathexpr.Term
	for _, s := range from {
		if s.local != nil || s.Term.Depth() > maxSummaryDepth {
			continue
		}
		if s.File() != nil && len(s.Term.Params()) == 0 && s.Term.Abstract() == "" {
			continue
		}
		if s.File() == nil && !rooted(s.Term) {
			continue
		}
		list = append(list, s.Term)
	}
	return list
}

// Lends reports whether a result of a function of the package can be memory that
// the function did not make: no copy, but the thing itself.
func (p *Package) Lends(fn *ssa.Function) bool {
	return flow.Any(p.flow.Budget, p.isLent, p.lentBy, results(fn)...)
}

// results are the values that the returns of a function yield.
func results(fn *ssa.Function) []ssa.Value {
	var list []ssa.Value
	for r := range flow.Returns(fn) {
		list = append(list, r.Results...)
	}
	return list
}

// isLent reports whether a value is memory that a function did not make, and has from
// nowhere that could be followed.
func (p *Package) isLent(v ssa.Value) bool {
	if !refers(v.Type()) {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.Phi, *ssa.Slice, *ssa.Convert, *ssa.Call:
		return false
	case *ssa.Extract:
		_, call := v.Tuple.(*ssa.Call)
		return !call
	case *ssa.UnOp:
		_, variable := v.X.(*ssa.Alloc)
		return !variable
	}
	return true
}

// lentBy lists the values that a value which refers to memory may be, or be a part of.
func (p *Package) lentBy(v ssa.Value) []ssa.Value {
	if !refers(v.Type()) {
		return nil
	}
	var call *ssa.Call
	switch v := v.(type) {
	case *ssa.Phi:
		return v.Edges
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok {
			return storedValues(a)
		}
	case *ssa.Slice:
		if _, array := v.X.(*ssa.Alloc); !array {
			return []ssa.Value{v.X}
		}
	case *ssa.Extract:
		call, _ = v.Tuple.(*ssa.Call)
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return v.Call.Args[:1]
		}
		call = v
	}
	if call != nil {
		if body := p.Body(&call.Call); body != nil {
			return results(body)
		}
	}
	return nil
}

// storedValues are the values that are stored at an address.
func storedValues(addr ssa.Value) []ssa.Value {
	var list []ssa.Value
	for _, st := range flow.StoresTo(addr) {
		list = append(list, st.Val)
	}
	return list
}

// refers reports whether values of a type refer to memory.
func refers(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice:
		return true
	}
	return false
}

// Encodes reports whether a call encodes what it is given.
func Encodes(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return false
	}
	row, _ := known.Lookup(obj)
	return row.Op == known.Encode || row.Op == known.EncodeTo || encodes(obj.Name())
}
