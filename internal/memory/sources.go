package memory

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Within reports whether a source is the content of a file, or memory that the
// function has for itself.
func (s Source) Within(file *pathexpr.Term) bool {
	if s.File() != nil {
		return SameFile(s.File(), file)
	}
	return !IsRooted(s.Term)
}

// A Source is where a value comes from: the content of a file, or memory that the
// function was given.
type Source struct {
	// Term is the Content of a file, or the memory: a parameter, a field of one,
	// a package variable.
	Term *pathexpr.Term

	At    ssa.Instruction   // where the owner of the list has the content from
	Local ssa.Value         // the memory, where a function made it itself
	Reads []ssa.Instruction // that read memory: loads, and calls in which it is read
}

// Random reports whether it is the system's source of randomness.
func (s Source) Random() bool {
	return s.Term.Kind == pathexpr.Global && s.Term.Text == "crypto/rand.Reader"
}

// File is the path of the file whose content it is, nil for memory.
func (s Source) File() *pathexpr.Term {
	if s.Term.Kind != pathexpr.Content {
		return nil
	}
	return s.Term.Args[0].Path()
}

func (s Source) Same(o Source) bool {
	return s.At == o.At && s.Local == o.Local && s.Term.Same(o.Term) && slices.Equal(s.Reads, o.Reads)
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
	p      *Values
	seen   map[ssa.Value]bool
	budget int
	list   []Source
	whole  bool            // parts that are a number, an answer or a time are let be
	user   ssa.Instruction // what has the value that is visited from memory, or is given it

	steps    *[]step   // what it does is noted there, if anywhere
	restates *Restater // that follows the arguments, and what it has followed; nil for none
	at       *followed
}

// Sources are the files and the memory that the values derive from.
func (p *Values) Sources(values ...ssa.Value) []Source {
	t := p.newTracer()
	t.visitAll(values)
	return t.list
}

// WholeSources are those of which the values are, or have more in them than a number,
// an answer or a time.
func (p *Values) WholeSources(values ...ssa.Value) []Source {
	t := p.newTracer()
	t.whole = true
	t.visitAll(values)
	return t.list
}

// AllSources are the sources of a value, and whether there are no others.
func (p *Values) AllSources(v ssa.Value) (from []Source, all bool) {
	t := p.newTracer()
	t.visit(v)
	return t.list, t.budget > 0
}

func (p *Values) newTracer() *tracer {
	return &tracer{p: p, seen: map[ssa.Value]bool{}, budget: maxVisits}
}

func (t *tracer) add(s Source) {
	t.note(step{source: s})
	t.list = AddSource(t.list, s)
}

// AddSource adds a source that is not in the list yet, if there is room.
func AddSource(list []Source, s Source) []Source {
	for i := range list {
		o := &list[i]
		if o.At == s.At && (o.Term == s.Term || o.Term.Key() == s.Term.Key()) {
			o.Reads = union(o.Reads, s.Reads)
			return list
		}
	}
	memory, most := s.isMemory(), maxOthers
	if memory {
		most = maxMemory
	}
	alike := 0
	for i := range list {
		if list[i].isMemory() == memory {
			alike++
		}
	}
	if alike < most {
		list = append(list, s)
	}
	return list
}

// ReadBy notes that a source is read by more instructions.
func (s *Source) ReadBy(reads []ssa.Instruction) { s.Reads = union(s.Reads, reads) }

// isMemory reports whether a source is neither a file nor an argument.
func (s *Source) isMemory() bool {
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
	if v == nil || t.seen[v] || t.budget == 0 || !CarriesData(v.Type()) || t.whole && IsDetail(v) {
		return
	}
	t.seen[v] = true
	t.budget--
	if i, ok := v.(ssa.Instruction); ok && IsOSFile(v.Type()) {
		if h := t.p.Term(v); h.File().Kind == pathexpr.Handle {
			t.add(Source{Term: pathexpr.New(pathexpr.Content, "", h.Path()), At: opener(i)})
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
		t.add(Source{Term: t.p.Unknown(v), Local: v})
		for _, e := range v.Edges {
			t.visit(e)
		}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			t.using(v, v.X)
		}
	case *ssa.BinOp:
		if !IsBool(v.Type()) {
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
		t.visit(Converted(v))
	}
}

// CarriesData reports whether a value of the type can hold what a file held; errors
// and answers cannot.
func CarriesData(t types.Type) bool {
	return !IsErrorType(t) && !IsBool(t)
}

// IsDetail reports whether a value is a number, a text or a time in something
// larger.
func IsDetail(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		switch v.X.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr:
			return IsSmall(v.Type())
		}
	case *ssa.Field, *ssa.Index, *ssa.Lookup:
		return IsSmall(v.Type())
	}
	return false
}

func IsSmall(t types.Type) bool {
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

// Converted is the value inside a conversion, nil for anything else.
func Converted(v ssa.Value) ssa.Value {
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
	if m := t.p.Memory(v); m != nil {
		t.add(Source{Term: m, Reads: readAt(t.user)})
	}
}

// part is a field: of memory that was given its own, of anything else the whole.
func (t *tracer) part(v, of ssa.Value) {
	if m := t.p.Memory(v); m != nil && IsRooted(m) {
		t.add(Source{Term: m, Reads: readAt(v.(ssa.Instruction))})
		return
	}
	t.visit(of)
}

// captured is a variable of the function around a literal.
func (t *tracer) captured(v *ssa.FreeVar) {
	if b := Binding(v); b != nil {
		n := len(t.list)
		t.note(step{begin: true})
		t.visit(b)
		t.note(step{end: true})
		t.lift(n)
	}
	t.stored(v)
}

// lift puts the sources from a place on in terms of the literal.
func (t *tracer) lift(n int) {
	for i := n; i < len(t.list); i++ {
		t.list[i].Term = lift(t.list[i].Term)
	}
}

func (t *tracer) note(s step) {
	if t.steps != nil {
		*t.steps = append(*t.steps, s)
	}
}

// object is memory that a function makes: all that is put into it.
func (t *tracer) object(v ssa.Value) {
	t.add(Source{Term: t.p.Unknown(v), Local: v})
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
func (p *Values) copies(c *ssa.CallCommon) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name() == "copy"
	}
	fn := p.CalleeOf(c)
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
	t.add(Source{Term: t.p.resultTerm(call, i), Local: call})
	c := &call.Call
	args := CallArgs(c)
	if b, ok := c.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" {
			t.using(call, args...)
		}
		return
	}
	fn := t.p.CalleeOf(c)
	if row, ok := known.Lookup(fn); ok && row.Op != known.None {
		t.known(row, call, args)
		return
	}
	if body := t.p.Body(c); body != nil {
		t.given(t.p.From(body, i), call, args)
		return
	}
	if fn != nil {
		if from, ok := t.p.sums.SourcesOf(fn); ok {
			if i < len(from) {
				t.given(SourcesOf(from[i]), call, args)
			}
			return
		}
	}
	t.using(call, args...)
}

// resultTerm identifies result i of a call as memory.
func (p *Values) resultTerm(call *ssa.Call, i int) *pathexpr.Term {
	for _, ref := range flow.Uses(call) {
		if x, ok := ref.(*ssa.Extract); ok && x.Index == i {
			return p.Unknown(x)
		}
	}
	return p.Unknown(call)
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
		t.add(Source{Term: pathexpr.New(pathexpr.Content, "", t.p.Term(args[row.A]).Path()), At: call})
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
			s.Term = t.path(s.Term, args)
			if s.At == nil || s.At.Parent() != call.Parent() {
				s.At = call
			}
			t.add(s)
		case s.Local != nil:
			t.add(s) // of the function around a literal
		default:
			t.through(s, call, args)
		}
	}
}

// through are the sources of memory of a callee: of the argument that it lies in.
// What a literal reads of the function around it was read before the call.
func (t *tracer) through(s Source, call ssa.Instruction, args []ssa.Value) {
	given, i := t.memoryOf(s.Term, args), rootParam(s.Term)
	if i < 0 || i >= len(args) || IsRooted(given) {
		reads := slices.DeleteFunc(slices.Clone(s.Reads), func(i ssa.Instruction) bool { return i.Parent() != call.Parent() })
		if len(reads) == 0 {
			reads = readAt(call)
		}
		t.add(Source{Term: given, Reads: reads})
		return
	}
	t.add(Source{Term: given, Local: args[i]})
	if t.restates != nil {
		t.restates.follow(t, i)
	} else {
		t.using(call, args[i])
	}
}

// path is a term of a callee in terms of its caller.
func (t *tracer) path(of *pathexpr.Term, args []ssa.Value) *pathexpr.Term {
	if t.restates != nil {
		return t.restates.path(of)
	}
	return Lower(of, t.p.ArgTerms(args))
}

// memoryOf is memory of a callee in terms of its caller.
func (t *tracer) memoryOf(m *pathexpr.Term, args []ssa.Value) *pathexpr.Term {
	if t.restates != nil {
		return t.restates.Memory(m)
	}
	return t.p.LowerMemory(m, args)
}

// Memory is the term of what v points to or holds, nil where that is text or
// cannot be told.
func (p *Values) Memory(v ssa.Value) *pathexpr.Term { return p.places.Ask(v) }

func (p *Values) makeMemory(v ssa.Value) *pathexpr.Term {
	switch v := v.(type) {
	case *ssa.Parameter:
		return p.Term(v)
	case *ssa.Global:
		return pathexpr.New(pathexpr.Global, p.globalTerm(v).Text)
	case *ssa.FreeVar:
		if b := Binding(v); b != nil {
			return Raise(p.Memory(b))
		}
	case *ssa.Alloc:
		if only := onlyStored(v); only != nil {
			return p.Memory(only)
		}
		return p.Unknown(v)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return p.Memory(v.X)
		}
	case *ssa.FieldAddr:
		return p.memoryField(v.X, v.Field)
	case *ssa.Field:
		return p.memoryField(v.X, v.Field)
	case *ssa.IndexAddr:
		return p.Memory(v.X)
	case *ssa.Lookup:
		return p.Memory(v.X)
	case *ssa.Slice:
		return p.Memory(v.X)
	case *ssa.Const:
		return nil
	default:
		if in := Converted(v); in != nil {
			return p.Memory(in)
		}
		return p.Unknown(v)
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
	if _, ok := val.Type().Underlying().(*types.Pointer); ok && !IsNil(val) {
		return val
	}
	return nil
}

func (p *Values) memoryField(base ssa.Value, index int) *pathexpr.Term {
	of, s := p.Memory(base), StructOf(base.Type())
	if of == nil || s == nil || of.Depth() > maxDepth {
		return nil
	}
	return pathexpr.NewField(of, NamedType(base.Type()), s.Field(index).Name())
}

// RootOf is the memory in which a field lies.
func RootOf(m *pathexpr.Term) *pathexpr.Term {
	for m.Kind == pathexpr.Field {
		m = m.Args[0]
	}
	return m
}

// IsRooted reports whether the memory outlives the function: a parameter's or a
// package variable's.
func IsRooted(m *pathexpr.Term) bool {
	k := RootOf(m).Kind
	return k == pathexpr.Param || k == pathexpr.Global
}

// rootParam is the parameter in which memory lies, -1 for any other memory.
func rootParam(m *pathexpr.Term) int {
	if r := RootOf(m); r.Kind == pathexpr.Param {
		return r.Index
	}
	return -1
}

// LowerMemory puts memory of a callee in terms of its caller.
func (p *Values) LowerMemory(m *pathexpr.Term, args []ssa.Value) *pathexpr.Term {
	i := rootParam(m)
	switch {
	case i < 0:
		return m
	case i >= Outer:
		return Lower(m, nil)
	case i >= len(args):
		return pathexpr.New(pathexpr.Unknown, "")
	}
	arg := p.Memory(args[i])
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

// From is what result i of a function of the package derives from.
func (p *Values) From(fn *ssa.Function, i int) []Source {
	if from := p.sums.Sources(fn); i < len(from) {
		return from[i]
	}
	return nil
}

// Returned are the sources of result i over all returns.
func (p *Values) Returned(fn *ssa.Function, i int) []Source {
	var list []Source
	for r := range flow.Returns(fn) {
		if i >= len(r.Results) {
			continue
		}
		for _, s := range p.Sources(r.Results[i]) {
			list = AddSource(list, s)
		}
	}
	return list
}

// SourcesOf are the sources that a fact tells of.
func SourcesOf(terms []*pathexpr.Term) []Source {
	list := make([]Source, len(terms))
	for i, t := range terms {
		list[i] = Source{Term: t}
	}
	return list
}

// Unwrapped is the value inside an interface.
func Unwrapped(v ssa.Value) ssa.Value {
	if in := Converted(v); in != nil {
		return in
	}
	return v
}
