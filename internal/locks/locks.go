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
	// Visits are the calls in which a lock is taken and let go of again.
	Visits []*Event

	items   []item // until Accesses is made of them
	lifted  int    // the accesses that it has of others
	exits   []exit
	net     []left
	invokes []invocation
	// replaces are the places that get another object.
	replaces []Ref
	bounded  bool // there is more than is known of it
	transfer *transfer
	sets     map[Ref]bool      // the places that it writes; see Sets
	events   map[Ref][]*Event  // see EventsOf
	visits   map[Ref][]*Event  // see VisitsOf
	around   map[Ref][]*Access // see WritesAround
	starts   []*ssa.Go         // see Starts
	started  bool              // starts are known
}

// Starts are the instructions that start goroutines.
func (f *Func) Starts() []*ssa.Go {
	if !f.started {
		f.started = true
		for i := range flow.Instrs(f.SSA) {
			if g, ok := i.(*ssa.Go); ok {
				f.starts = append(f.starts, g)
			}
		}
	}
	return f.starts
}

// EventsOf are the events of one lock.
func (f *Func) EventsOf(lock Ref) []*Event {
	if f.events == nil {
		f.events = byLock(f.Events)
	}
	return f.events[lock]
}

// VisitsOf are the visits of one lock.
func (f *Func) VisitsOf(lock Ref) []*Event {
	if f.visits == nil {
		f.visits = byLock(f.Visits)
	}
	return f.visits[lock]
}

func byLock(events []*Event) map[Ref][]*Event {
	m := make(map[Ref][]*Event)
	for _, ev := range events {
		m[ev.Lock] = append(m[ev.Lock], ev)
	}
	return m
}

// WritesAround are the accesses that write a place which the lock is within.
func (f *Func) WritesAround(lock Ref) []*Access {
	list, known := f.around[lock]
	if known {
		return list
	}
	for _, a := range f.Accesses {
		if a.Write && lock.Within(a.Place) {
			list = append(list, a)
		}
	}
	if f.around == nil {
		f.around = make(map[Ref][]*Access)
	}
	f.around[lock] = list
	return list
}

// Sets reports whether the function writes a place, itself or by what it calls.
func (f *Func) Sets(place Ref) bool {
	if f.sets == nil {
		f.sets = map[Ref]bool{}
		for _, a := range f.Accesses {
			if a.Write {
				f.sets[a.Place] = true
			}
		}
	}
	return f.sets[place]
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

// Of returns the locks of a function of the package, nil for any other.
func (s *Package) Of(fn *ssa.Function) *Func { return s.byFn[fn] }

// A resultOf is one result of a function.
type resultOf struct {
	fn *ssa.Function
	i  int
}

// A half is one side of the use of a channel.
type half struct {
	v   *types.Var
	dir token.Token
}

// A left is how a function leaves a lock, in its own terms: where it succeeds,
// and where it says that it fails.
type left struct {
	lock     Ref
	ok, fail standing
	tried    bool
}

// A typedPath is the path of a place from a value of a type.
type typedPath struct {
	typ  types.Type
	path string
}

// An item is what a function has in its list of accesses at one place: one of its own,
// or a call, in the place of which those of the callee come.
type item struct {
	access *Access
	call   *call
}

// A call is one of a function of the package, and what is held there.
type call struct {
	callee   *ssa.Function
	args     []ssa.Value
	instr    ssa.Instruction
	deferred bool
	back     bool // the callee leads back to the caller
	held     map[Ref]Mode

	list     []*Access // those of the callee
	site     *site     // of them
	spots    map[*Spot]*Spot
	inside   map[*under]*under // see modes
	modesMet []*under
	met      map[repeated]bool // see has
}

// What is repeated where a call has such an access twice: numbers of the spot, of what is
// written in methods of which type, and of what is held.
type repeated struct{ spot, alike, held int32 }

// A writing is what a change puts into a place, in methods of a type; or a look at it.
type writing struct {
	of    types.Type // the receiver
	value ssa.Value
	write bool
}

// A state is what is known at one point: the modes of the locks, and the calls
// that wait for the function to return.
type state struct {
	held     map[Ref]Mode
	turns    map[Ref]int // how often the function has taken the lock more than let go of it
	pending  map[Ref]pending
	forks    map[Ref]fork
	shared   bool // the maps but for the first are seen by others: they are copied before a change
	seen     bool // the first is
	deferred []deferral
	dropped  bool // more was deferred than is known

	of *Func
	// parted are the locks of which a fork was known at the beginning of the block, and
	// holds no more: of these none is known there again.
	parted map[Ref]bool
}

// A fork is how a lock stands where some calls are deferred, and where they are
// not: "if alone { mu.Lock(); defer mu.Unlock() }".
type fork struct {
	call          *ssa.Defer // the first of them
	n             int        // how many
	with, without standing
}

// A standing is what is known of one lock.
type standing struct {
	mode Mode
	turn int
}

// A pending lock is Mixed until the result of a call is tested that tells of it:
// an error that is nil, a bool that is true say that it stands as in ok.
type pending struct {
	call     ssa.Value
	result   int
	ok, fail standing
}

// A deferral is a call that waits for the function to return; maybe says that it
// does so on some paths only.
type deferral struct {
	call  *ssa.Defer
	maybe bool
}

// A transfer is the transfer function of one function: what its instructions do to what
// is known of locks.
type transfer struct {
	s   *Package
	f   *Func
	in  map[*ssa.BasicBlock]*state
	out bool // the fixpoint is reached: events and accesses are recorded
	// roots are the values of the function that locks are named by.
	roots  map[ssa.Value]bool
	unders map[uintptr]*under // see heldAt, by the map
}

// question names what is asked of a function, for the record of what was given up.
const question = "lock state"

// An outcome says that a result of a call tells of success, or of failure.
type outcome struct {
	call   ssa.Value
	result int
	ok     bool
}

// fn is a function of the package with its locks; nil for one that calls itself, where
// nothing is known of that yet, and for any other.
func (s *Package) fn(fn *ssa.Function) *Func {
	if !s.own[fn] {
		return nil
	}
	return s.funcs.Ask(fn)
}
