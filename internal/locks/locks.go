// Package locks says which locks a goroutine holds where it touches memory:
// a forward dataflow over SSA, with what helpers take and let go put in the
// place of their calls. It knows mutexes by their method sets, channels of one
// place that are used as mutexes, semaphores, and locks whose methods are named
// like those of a mutex. What it cannot tell it calls unknown.
package locks

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
)

// Mode is what is known of a lock at one point of a function.
type Mode uint8

// A lock that no instruction of the function has touched is Unknown: the caller
// may hold it. Mixed is held on some paths only.
const (
	Unknown Mode = iota
	Free
	Reading
	Writing
	Mixed
)

// A Ref names a place in memory: a value, and the fields that lead from it.
type Ref struct {
	Root ssa.Value
	Path string // "mu", "store.jobs"; empty for the root itself
}

func (r Ref) field(name string) Ref {
	if r.Path != "" {
		name = r.Path + "." + name
	}
	return Ref{r.Root, name}
}

func (r Ref) join(path string) Ref {
	if path == "" {
		return r
	}
	return r.field(path)
}

// Within reports whether r is the place o, or in it or behind it.
func (r Ref) Within(o Ref) bool {
	return r.Root == o.Root && (o.Path == "" || r.Path == o.Path || strings.HasPrefix(r.Path, o.Path+"."))
}

// Compare orders places by where their roots are declared, then by what leads from there.
func (r Ref) Compare(o Ref) int {
	if r.Root == o.Root {
		return cmp.Compare(r.Path, o.Path)
	}
	if c := cmp.Compare(r.Root.Pos(), o.Root.Pos()); c != 0 {
		return c // the names of most values are put together when they are asked for
	}
	return cmp.Or(cmp.Compare(r.Root.Name(), o.Root.Name()), cmp.Compare(r.Path, o.Path))
}

// Sorted are the places of which a map tells, in order.
func Sorted[V any](at map[Ref]V) []Ref {
	return slices.SortedFunc(maps.Keys(at), Ref.Compare)
}

// last is the name of the place alone.
func (r Ref) last() string {
	if r.Path == "" {
		return r.Root.Name()
	}
	return r.Path[strings.LastIndexByte(r.Path, '.')+1:]
}

// String is the place as the source would spell it.
func (r Ref) String() string {
	name := rootName(r.Root)
	if r.Path == "" {
		return name
	}
	return name + "." + r.Path
}

// rootName is the name of a variable, or that of the type of what has no name: an
// element, the result of a call.
func rootName(v ssa.Value) string {
	switch v.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
		return v.Name()
	}
	if named, ok := types.Unalias(known.Pointee(known.Pointee(v.Type()))).(*types.Named); ok {
		return named.Obj().Name()
	}
	return v.Name()
}

// An Event is a lock taken or let go by one instruction.
type Event struct {
	Lock Ref
	Mode Mode // Free where it is let go
	// Before is what was known of the lock in front of the instruction.
	Before Mode
	// Cancellable says that the wait can end without the lock.
	Cancellable bool
	Instr       ssa.Instruction
	Pos         token.Pos // of the call, the send or the receive

	tried bool // it does not wait: who is refused may hold the lock himself
}

// An Access reads or changes a place in memory. A large program has some hundred
// thousand of them, most of which restate those of others: what they have in common they
// share.
type Access struct {
	*touch
	*Spot
	*under
	*site
	// Of is the access of the callee that this one restates, nil for one of the
	// function itself.
	Of *Access
	// Index is its number in the package.
	Index int
}

// A touch is what an access and all that restate it are.
type touch struct {
	Write bool
	// Var is the field or variable that the place ends in.
	Var *types.Var
	// Pos is the place of the access itself, In the function that holds it.
	Pos token.Pos
	In  *ssa.Function
	// Value is what is written, nil where unknown.
	Value ssa.Value
	alike int32 // the same for those that write the same in methods of the same type
}

// A Spot is a place of accesses; there is one for any place.
type Spot struct {
	Place  Ref
	beside bool // see Package.beside
	made   bool // see Package.made
	id     int32
}

// What is held at an access.
type under struct {
	// Held are the modes of the locks at the access.
	Held map[Ref]Mode
	refs []Ref // those of Held, in order, once somebody asks
	id   int32 // in the call that makes it
}

// A site is where accesses happen.
type site struct {
	// Instr is where it happens in the function that owns the list; a call where
	// a helper does it.
	Instr ssa.Instruction
	// Deferred says that it happens when the function returns.
	Deferred bool
}

// A Func is one function with its locks and accesses.
type Func struct {
	SSA      *ssa.Function
	Events   []*Event
	Accesses []*Access

	items   []item // until Accesses is made of them
	lifted  int    // the accesses that it has of others
	exits   []exit
	net     []left
	invokes []invocation
	// replaces are the places that get another object.
	replaces []Ref
	bounded  bool // there is more than is known of it
	transfer *transfer
}

// same reports whether two rounds have found the same of a function, as far as it tells
// its callers.
func (f *Func) same(o *Func) bool {
	if f == nil || o == nil {
		return f == o
	}
	return slices.Equal(f.net, o.net) && slices.Equal(f.replaces, o.replaces) && slices.EqualFunc(f.invokes, o.invokes, invocation.same) &&
		slices.EqualFunc(f.exits, o.exits, func(a, b exit) bool { return a.ret == b.ret })
}

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

// Flow is the control flow of the package that the function is in.
func (f *Func) Flow() *flow.Program { return f.transfer.s.flow }

// An exit is what is known at one return.
type exit struct {
	ret *ssa.Return
	at  *state
}

// An invocation is a call of a parameter that is a function.
type invocation struct {
	param int
	held  map[Ref]Mode
}

func (inv invocation) same(o invocation) bool {
	return inv.param == o.param && maps.Equal(inv.held, o.held)
}

func (inv invocation) compare(o invocation) int {
	mine, others := Sorted(inv.held), Sorted(o.held)
	return cmp.Or(cmp.Compare(inv.param, o.param), slices.CompareFunc(mine, others, func(a, b Ref) int {
		return cmp.Or(a.Compare(b), cmp.Compare(inv.held[a], o.held[b]))
	}))
}

// A Package holds the locks of one package.
type Package struct {
	// Funcs are the functions, each behind those that it calls, but for those that call
	// it back.
	Funcs []*Func

	effects *effects.Package
	flow    *flow.Program
	byFn    map[*ssa.Function]*Func
	own     map[*ssa.Function]bool                     // those of the package
	callers map[*ssa.Function]int                      // calls of it in the package
	loose   map[*ssa.Function]bool                     // used other than by calls: who calls it cannot be told
	spliced map[*ssa.Function]map[ssa.Instruction]bool // where functions are called and seen to be
	tokens  map[*types.Var]token.Token
	fields  map[types.Type][]*types.Var // that are locks
	locked  map[typedPath]bool          // whether a lock stands beside such places
	weights map[*types.Var]string       // the size of semaphores that is told
	several map[*ssa.Phi]map[Ref]bool   // the objects that a value may be
	makers  map[resultOf]bool           // see makes
	spots   map[Ref]*Spot
	alike   map[writing]int32 // see touch
	last    int               // the accesses that have a number
	space   []Access          // for those that are restated

	funcs    *flow.Query[*ssa.Function, *Func]
	channels *flow.Query[*ssa.Function, map[half]bool] // see onChannels
	lenders  *flow.Query[resultOf, map[Ref]Mode]       // what the results that are functions do to locks
	refs     *flow.Query[ssa.Value, Ref]
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
	for _, f := range p.Funcs {
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

// Of returns the locks of a function of the package, nil for any other.
func (s *Package) Of(fn *ssa.Function) *Func { return s.byFn[fn] }

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

// fn is a function of the package with its locks; nil for one that calls itself, where
// nothing is known of that yet, and for any other.
func (s *Package) fn(fn *ssa.Function) *Func {
	if !s.own[fn] {
		return nil
	}
	return s.funcs.Ask(fn)
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
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			var callee *ssa.Function
			if c, ok := i.(ssa.CallInstruction); ok {
				callee = s.effects.Body(c.Common())
				if callee != nil {
					s.callers[callee]++
					if _, spawned := i.(*ssa.Go); spawned {
						s.loose[callee] = true
					}
				}
			}
			for _, op := range flow.Operands(i) {
				if used, ok := op.(*ssa.Function); ok && used != callee {
					s.loose[bare(used)] = true
				}
			}
		}
	}
}

// bare is the declared function behind a method value.
func bare(fn *ssa.Function) *ssa.Function {
	if fn.Synthetic == "" {
		return fn
	}
	if obj, ok := fn.Object().(*types.Func); ok && fn.Prog != nil {
		if decl := fn.Prog.FuncValue(obj.Origin()); decl != nil {
			return decl
		}
	}
	return fn
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
