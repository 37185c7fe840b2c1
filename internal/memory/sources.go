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

// File is the path of the file whose content it is, nil for memory.
func (s Source) File() *pathexpr.Term {
	if s.Term.Kind != pathexpr.Content {
		return nil
	}
	return s.Term.Args[0].Path()
}

// Same reports whether two sources are alike in every way.
func (s Source) Same(o Source) bool {
	return s.At == o.At && s.Local == o.Local && s.Term.Same(o.Term) && sameReads(s.Reads, o.Reads)
}

// sameReads reports whether two lists have the same reads in any order. Of those that
// are full, which reads found a place makes no difference.
func sameReads(a, b []ssa.Instruction) bool {
	only := func(i ssa.Instruction) bool { return !slices.Contains(b, i) }
	return len(a) == len(b) && (len(a) == maxReads || !slices.ContainsFunc(a, only))
}

// SameSources reports whether two lists have the same sources in any order: functions
// that call each other tell them in another one each time.
func SameSources(a, b []Source) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(s Source) bool { return !slices.ContainsFunc(b, s.Same) })
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
	around bool            // what is given comes from a function that leads back to this one
	whole  bool            // parts that are a number, an answer or a time are let be
	user   ssa.Instruction // what has the value that is visited from memory, or is given it
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
	t.list = AddSource(t.list, s)
}

// AddSource adds a source that is not in the list yet, if there is room.
func AddSource(list []Source, s Source) []Source {
	for i := range list {
		o := &list[i]
		if o.At == s.At && o.Term.Equal(s.Term) {
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
	if v == nil || t.seen[v] || !CarriesData(v.Type()) || t.whole && IsDetail(v) {
		return
	}
	if t.budget == 0 {
		t.p.Flow.GiveUp("sources of a value", PlaceOf(v), flow.Size)
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
		switch x := v.X.(type) {
		case *ssa.FieldAddr:
			return IsSmall(v.Type())
		case *ssa.IndexAddr:
			_, one := x.Index.(*ssa.Const)
			return IsSmall(v.Type()) && (one || !IsString(v.Type())) // one after the other, texts are all that a list has
		}
	case *ssa.Field, *ssa.Index, *ssa.Lookup:
		return IsSmall(v.Type())
	}
	return false
}

// IsSmall reports whether values of the type are a number, a text, an answer or a time.
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
		t.visit(b)
		for i := n; i < len(t.list); i++ {
			t.list[i].Term = lift(t.list[i].Term) // in terms of the literal
		}
	}
	t.stored(v)
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
		t.known(row, fn, call, args)
		return
	}
	if body := t.p.Body(c); body != nil {
		from, settled := t.p.from(body, i)
		around := t.around
		t.around = !settled
		t.yielded(from, call, args)
		t.around = around
		return
	}
	if fn != nil {
		if from, ok := t.p.sums.SourcesOf(fn); ok {
			if i < len(from) {
				t.yielded(SourcesOf(from[i]), call, args)
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
func (t *tracer) known(row known.Row, fn *types.Func, call *ssa.Call, args []ssa.Value) {
	switch row.Op {
	case known.ReadFile:
		path := t.p.Term(args[row.A]).Path()
		if known.UnderRoot(fn) {
			path, _ = UnderRoot(row, t.p.Term(args[0]), path, nil)
		}
		t.add(Source{Term: pathexpr.New(pathexpr.Content, "", path), At: call})
	case known.ReadAll, known.Encode, known.Wrap, known.Same, known.Akin, known.Decode, known.DecodeFrom, known.Read:
		t.using(call, args[min(row.A, len(args)-1)])
	case known.Format:
		t.using(call, args...)
	}
}

// yielded are the sources of a result in terms of the call.
func (t *tracer) yielded(from []Source, call *ssa.Call, args []ssa.Value) {
	t.restate(from, t.p.NewRestater(args, t.p.ArgTerms(args), call), func(arg int) { t.using(call, args[arg]) })
}

// restate are the sources of a result, or of an effect, in terms of the call; follow adds what an
// argument derives from.
func (t *tracer) restate(from []Source, r *Restater, follow func(arg int)) {
	for _, s := range from {
		switch {
		case s.File() != nil:
			s.Term = t.p.Lower(s.Term, r.terms)
			if s.At == nil || s.At.Parent() != r.call.Parent() {
				s.At = r.call
			}
			t.add(s)
		case s.Local != nil:
			t.add(s) // of the function around a literal
		default:
			t.through(s, r, follow)
		}
	}
}

// through are the sources of memory of a callee: of the argument that it lies in.
// What a literal reads of the function around it was read before the call.
func (t *tracer) through(s Source, r *Restater, follow func(arg int)) {
	given, i := r.Memory(s.Term), rootParam(s.Term)
	if t.around && goesDeeper(given) {
		given = pathexpr.New(pathexpr.Unknown, "")
	}
	if i >= 0 && i < len(r.args) && !IsRooted(given) {
		t.add(Source{Term: given, Local: r.args[i]})
		follow(i)
		return
	}
	var reads []ssa.Instruction
	for _, i := range s.Reads {
		if i.Parent() == r.call.Parent() {
			reads = append(reads, i)
		}
	}
	if len(reads) == 0 {
		reads = readAt(r.call)
	}
	t.add(Source{Term: given, Reads: reads})
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
		if only := singleStore(v); only != nil {
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

// singleStore is the pointer that a variable of pointer type is given once, or the
// parameter that it holds.
func singleStore(a *ssa.Alloc) ssa.Value {
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
	return p.intern(pathexpr.NewField(of, NamedType(base.Type()), s.Field(index).Name()))
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
		return p.Lower(m, nil)
	case i >= len(args):
		return pathexpr.New(pathexpr.Unknown, "")
	}
	arg := p.Memory(args[i])
	if arg == nil {
		return pathexpr.New(pathexpr.Unknown, "")
	}
	return p.lowerPlace(m, arg)
}

// From is what result i of a function of the package derives from.
func (p *Values) From(fn *ssa.Function, i int) []Source {
	from, _ := p.from(fn, i)
	return from
}

func (p *Values) from(fn *ssa.Function, i int) (from []Source, settled bool) {
	all, settled := p.sums.Sources(fn)
	if i < len(all) {
		from = all[i]
	}
	return from, settled
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

// A Restater puts what the effects of a callee derive from in terms of one call. It
// follows each argument once, however many effects speak of it.
type Restater struct {
	p      *Values
	args   []ssa.Value
	call   ssa.Instruction
	terms  []*pathexpr.Term // of the arguments
	places map[*pathexpr.Term]*pathexpr.Term
	from   map[int][]Source // what they derive from
}

// NewRestater is one for a call, with its arguments and their terms.
func (p *Values) NewRestater(args []ssa.Value, terms []*pathexpr.Term, call ssa.Instruction) *Restater {
	return &Restater{p, args, call, terms, map[*pathexpr.Term]*pathexpr.Term{}, map[int][]Source{}}
}

// Sources puts sources of the callee in terms of the call.
func (r *Restater) Sources(from []Source) []Source {
	if len(from) == 0 {
		return nil
	}
	t := r.p.newTracer()
	t.restate(from, r, func(arg int) {
		list, ok := r.from[arg]
		if !ok {
			of := r.p.newTracer()
			of.using(r.call, r.args[arg])
			list = of.list
			r.from[arg] = list
		}
		for _, s := range list {
			t.add(s)
		}
	})
	return t.list
}

// Memory is memory of the callee in terms of the caller.
func (r *Restater) Memory(m *pathexpr.Term) *pathexpr.Term {
	t, ok := r.places[m]
	if !ok {
		t = r.p.LowerMemory(m, r.args)
		r.places[m] = t
	}
	return t
}
