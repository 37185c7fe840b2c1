// Package locks says which locks a goroutine holds where it touches memory:
// a forward dataflow over SSA, with what helpers take and let go put in the
// place of their calls. It knows mutexes by their method sets, channels of one
// place that are used as mutexes, and locks whose methods are named
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

// An Access reads or changes a field, a package variable, or the elements of what one of them holds.
type Access struct {
	Func  *Func // whose instruction it is
	Instr ssa.Instruction
	Pos   token.Pos
	Place Ref
	// Var is the field or variable that the place ends in.
	Var   *types.Var
	Write bool
	// Value is what is written, nil where unknown.
	Value ssa.Value
	// Held are the locks at the access.
	Held Held
}

// A Call is a call of a function of the package.
type Call struct {
	Caller *Func
	Instr  ssa.Instruction
	// Deferred says that it happens when the caller returns.
	Deferred bool
	// Held are the locks at the call.
	Held Held

	callee *ssa.Function
	args   []ssa.Value
}

// A Func is one function with its locks, its accesses and the calls that it makes.
type Func struct {
	SSA      *ssa.Function
	Events   []*Event
	Accesses []*Access

	calls    []*Call
	exits    []exit
	net      []left
	bounded  bool // there is more than is known of it
	transfer *transfer
	events   map[Ref][]*Event // see EventsOf
}

// EventsOf are the events of one lock.
func (f *Func) EventsOf(lock Ref) []*Event {
	if f.events == nil {
		f.events = make(map[Ref][]*Event)
		for _, ev := range f.Events {
			f.events[ev.Lock] = append(f.events[ev.Lock], ev)
		}
	}
	return f.events[lock]
}

// same reports whether two rounds have found the same of a function, as far as it tells
// its callers.
func (f *Func) same(o *Func) bool {
	if f == nil || o == nil {
		return f == o
	}
	return slices.Equal(f.net, o.net) && slices.EqualFunc(f.exits, o.exits, func(a, b exit) bool { return a.ret == b.ret })
}

// Flow is the control flow of the package that the function is in.
func (f *Func) Flow() *flow.Program { return f.transfer.s.flow }

// An exit is what is known at one return.
type exit struct {
	ret *ssa.Return
	at  *state
}

// A Way is a function that knows how a lock stands at an access: the one that makes the access,
// or one that leads to it by calls.
type Way struct {
	Func  *Func
	Instr ssa.Instruction // the access, or the call that leads to it
	// Lock and Place are the lock and the place of the access, as Func names them.
	Lock, Place Ref

	// Access is the access itself.
	Access *Access

	call *Call // nil where Func makes the access
}

// asked is a question about the callers of a function, and whether somebody else decides.
type asked struct {
	f       *Func
	lock    Ref
	decided bool
}

// A Package holds the locks of one package.
type Package struct {
	Funcs []*Func

	effects *effects.Package
	flow    *flow.Program
	byFn    map[*ssa.Function]*Func
	sites   map[*ssa.Function][]*Call // the calls of a function
	tokens  map[*types.Var]token.Token
	fields  map[types.Type][]*types.Var // that are locks
	beside  map[typedPath][]string      // see besidePath
	globals []*ssa.Global               // see Globals
	makers  map[resultOf]bool           // see makes
	asked   map[asked][]Way             // see above

	funcs *flow.Query[*ssa.Function, *Func]
	refs  *flow.Query[ssa.Value, Ref]
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
	ok, fail lockState
	tried    bool
}

// A typedPath is the path of a place from a value of a type.
type typedPath struct {
	typ  types.Type
	path string
}

// A state is what is known at one point: of the locks, and of the calls
// that wait for the function to return.
type state struct {
	held     Held
	seen     bool // by others: it is copied before a change
	deferred []deferral
	dropped  bool // more was deferred than is known

	of *Func
}

// Held is what is known of locks at one point of a function.
type Held map[Ref]standing

// A standing is what is known of one lock: how it stands, and what that waits for.
type standing struct {
	lockState
	pending
}

// A lockState is how one lock stands.
type lockState struct {
	Mode Mode
	turn int // how often the function has taken the lock more than let go of it
}

// A pending lock is Mixed until the result of a call is tested that tells of it:
// an error that is nil, a bool that is true say that it stands as in ok.
type pending struct {
	call     ssa.Value
	result   int
	ok, fail lockState
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
	out bool // the fixpoint is reached: events, accesses and calls are recorded
	// roots are the values of the function that locks are named by.
	roots map[ssa.Value]bool
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
	if s.effects.Of(fn) == nil {
		return nil
	}
	return s.funcs.Ask(fn)
}
