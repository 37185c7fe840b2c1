// Package effects says what each function of a package does to files and
// locks, in order. It is the only place that knows how Go code touches files:
// checks read effects, never syntax. What it cannot resolve it calls unknown;
// it never guesses.
package effects

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Kind is what an effect does.
type Kind uint8

// The kinds of effects.
const (
	Read            Kind = iota // content of Path is read
	Decode                      // Data is decoded
	Truncate                    // Path loses its content
	Open                        // Path is opened for writing, its content kept
	CreateExclusive             // Path is made and must not have been there
	Append                      // Path is opened for appending
	OpenOrCreate                // Path is opened, and made where it is not there; its content is kept
	Write                       // Data is written through Handle
	Flush                       // a buffer in front of Handle is written
	Sync                        // Handle is synced
	Close                       // Handle is closed
	Seek                        // Handle is moved, or its end is asked for
	TruncateTo                  // what Path holds behind a position is cut off
	Rename                      // Path is moved over Target
	Link                        // Target becomes another name of Path
	Remove                      // Path is removed
	Stat                        // the existence of Path is asked for
	List                        // the directory Path is listed
	Replace                     // Path is replaced atomically
	Lock                        // a lock between processes is taken on Path, its lock file; Handle is the lock or the open file
	Unlock                      // it is let go
	Escape                      // Handle is given to code that cannot be seen
	Acquire                     // the lock Handle, of this process alone, is taken
	Release                     // it is let go
	StoreHandle                 // Handle is put into the field Target
	MakeDir                     // Path, a directory, is made and must not have been there
	EnsureDir                   // Path, a directory, is made where it is not there, with the mode Data
	StoreLoaded                 // what From names is put into the memory Target
	Load                        // the memory Object, that a call returns, has been loaded from its file
	Consult                     // the registry Path, a map, is asked for the key Data
	Claim                       // an entry Data is made in it
	Forget                      // it is deleted
)

// When says when an effect happens relative to its function.
type When uint8

// An effect happens in order, when the function returns, or in a goroutine.
const (
	Inline When = iota
	Deferred
	Spawned
)

// An Action is what an effect does, as far as it means the same to callers in other
// packages: facts carry it.
type Action struct {
	Kind Kind
	When When
	// How is, of a Lock, the system call of which Data says what it does.
	How known.Op
	// Path is the file acted on; for effects on handles, the path under it.
	Path *pathexpr.Term
	// Target is the second path of Rename and Link, or the memory of StoreHandle and StoreLoaded.
	Target *pathexpr.Term
	// Handle is the handle acted on, wrappers included; nil for effects on
	// paths.
	Handle *pathexpr.Term
	// Data is what is written or decoded, and how a lock is taken; nil where
	// unknown.
	Data *pathexpr.Term
	// Flags are those with which a file is opened, where callers say more of them; nil for any other.
	Flags *pathexpr.Term
	// Args are what an Invoke hands to the function that it calls.
	Args []*pathexpr.Term
	// Object is the memory that is written to a file which it names itself, it or a
	// part of it, or, of a StoreLoaded and a Load, that is loaded from there; nil for any other.
	Object *pathexpr.Term
	// Dropped says that the error of the call is ignored.
	Dropped bool
	// Ignored says of a Decode and a Read of another package that its function
	// does not report that they failed.
	Ignored bool
	// Optional says of the same that its function returns no error where the file does not
	// exist.
	Optional bool
	// Empty says of the same, by result, which are nil or false where that has failed and
	// none is an error.
	Empty []bool
	// Whole says that one call truncates, writes and closes.
	Whole bool
	// ReturnsHandle says that the call which has the effect returns the handle.
	ReturnsHandle bool
	// Makes says that the call creates the file where it does not exist.
	Makes bool
	// Synced says that the handle was opened to sync every write.
	Synced bool
	// Try says of a Lock that the call may return without the lock and without an
	// error; Shared, that others can hold it at the same time; of a registry,
	// that it needs no mutex.
	Try, Shared bool
	// SeparateLockFile says of a Lock and an Unlock that the lock is an object of its own,
	// and that its file serves nothing else.
	SeparateLockFile bool
	// POSIXLock says of a Lock that it belongs to the process and the file, not to
	// the open file: closing any open file of it releases the lock.
	POSIXLock bool
	// Reported says of an effect of another package that its own package reported it, or had
	// all it takes to judge.
	Reported bool
	// Maybe says of an effect that gives something up, that a function on the way
	// to it decides whether it happens.
	Maybe bool
	// Site is where an effect of another package stands: see [Package.Site].
	Site string
}

// An Effect is one thing that a function does to a file or a lock.
type Effect struct {
	Action
	// It comes about by a call among functions that call each other: those are told of it,
	// and tell it to others, but not to each other again.
	inCycle bool
	// From is what the bytes that are written derive from, or what is put into
	// memory.
	From []memory.Source
	// Line is what a Write is to the lines of the file.
	Line memory.Line
	// Waits says of a Lock that it is one of flock(2) that is waited for.
	Waits bool
	// Final says that the program ends behind it.
	Final bool

	// Pos is the call that has the effect; NoPos when it stands in another
	// package.
	Pos token.Pos
	// Call is the syntax of that call, nil in another package.
	Call *ast.CallExpr
	// In is the function of this package that holds Pos, or that calls into
	// the other package.
	In *ssa.Function
	// Via is the chain of calls from the function that owns the effect list to
	// In, outermost first.
	Via []*ast.CallExpr
	// Foreign names the function of another package that has the effect; empty
	// for effects of this package.
	Foreign string

	// At is where it happens in the function that owns the list; nil where that is not known.
	At  ssa.Instruction
	Seq int32 // order among effects of one instruction
	// Below is how many calls deep in Foreign it is.
	Below int32
	bytes []ssa.Value // what is written, until From says what that derives from

	CalleeEffect *Effect       // the effect of the called function that it is, nil for one of its own
	flow         *flow.Program // of the package
}

// A Func is one function with its effects.
type Func struct {
	SSA *ssa.Function

	flow *flow.Program
	// Effects are in an order in which what dominates comes first; deferred
	// effects stand at the end, last deferred first.
	Effects []*Effect
	// Results are the terms of what the function returns, nil where unknown.
	Results []*pathexpr.Term
	// Unused says that nothing but tests can call it.
	Unused bool
	// Callees are the declared functions of the package that it calls.
	Callees []*ssa.Function
	// CalledBy are the functions of the package that call it, or are around it.
	CalledBy []*Func
	// Component is a number that functions have in common which lead to each other.
	Component int

	telling, tellingInCycle []*Effect                     // see summaryEffects
	sublists                []sublist                     // see OfKind
	at                      map[ssa.Instruction][]*Effect // see EffectsAt

	OfResults [][]*Effect // by result: the effects of the function that it returns
	Fresh     []bool      // by result: whether it is an object that the function has loaded, or a field of it
}

// InLoop reports whether the function can come to the effect again.
func (e *Effect) InLoop() bool { return e.At != nil && e.flow.Reaches(e.At, e.At) }

// New is an effect of f that no call of known kind has: what happens at an instruction
// to something that a path names.
func (f *Func) New(kind Kind, path *pathexpr.Term, at ssa.Instruction) *Effect {
	return &Effect{Action: Action{Kind: kind, Path: path}, In: f.SSA, Pos: at.Pos(), At: at, flow: f.flow}
}

// Begin is an effect of no kind before all that an instruction of f does.
func (f *Func) Begin(i ssa.Instruction) *Effect { return &Effect{At: i, Seq: -1, flow: f.flow} }

// End is an effect of no kind behind all that an instruction of f does.
func (f *Func) End(i ssa.Instruction) *Effect {
	return &Effect{At: i, Seq: math.MaxInt32, flow: f.flow}
}

// Reaches reports whether b can be met after a.
func (f *Func) Reaches(a, b ssa.Instruction) bool { return f.flow.Reaches(a, b) }

// Name is the function as a reader would write it.
func (f *Func) Name() string { return memory.FuncName(f.SSA) }

// FullName is the name by which other packages tell the function, with its import
// path; empty for a literal.
func (f *Func) FullName() string {
	if obj, ok := f.SSA.Object().(*types.Func); ok {
		return obj.FullName()
	}
	return ""
}

// BodyOf is the body of a function or literal.
func BodyOf(fn *ssa.Function) *ast.BlockStmt {
	switch s := fn.Syntax().(type) {
	case *ast.FuncDecl:
		return s.Body
	case *ast.FuncLit:
		return s.Body
	}
	return nil
}

// Before reports whether a has happened whenever b happens: it dominates b, or
// comes first at the same place. Spawned effects come before nothing outside of
// their goroutine, deferred ones before nothing outside of their call.
func Before(a, b *Effect) bool {
	if a.When != Inline && a.When == b.When && a.At == b.At {
		return a.Seq < b.Seq // in one goroutine, or one deferred call
	}
	if a.When != Inline {
		return false
	}
	if a.At == nil || b.At == nil || a.At.Parent() != b.At.Parent() {
		return false
	}
	if a.At == b.At {
		if x, y := a.CalleeEffect, b.CalleeEffect; x != nil && y != nil && x.When == Inline && x.At != nil && y.At != nil && x.At.Parent() == y.At.Parent() {
			return Before(x, y) // in the function that is called there
		}
		return a.Seq < b.Seq
	}
	return a.flow.Dominates(a.At, b.At)
}

// On reports whether the effect acts on the handle h, or on one of several
// handles of which h is one.
func (e *Effect) On(h *pathexpr.Term) bool {
	if e.Handle == nil || h == nil {
		return false
	}
	handle, file := e.Handle.File(), h.File()
	if handle.Kind != pathexpr.Alt {
		return handle.Equal(file)
	}
	return slices.ContainsFunc(handle.Args, func(alt *pathexpr.Term) bool { return alt.File().Equal(file) })
}

// Here is the call in the function that owns the effect list.
func (e *Effect) Here() *ast.CallExpr {
	if len(e.Via) > 0 {
		return e.Via[0]
	}
	return e.Call
}

// OneCall reports whether one call of the function has both effects.
func OneCall(a, b *Effect) bool { return a.At == b.At }

// Precedes reports whether a happens before b in a run of the function in which
// both happen; a and b are among its effects. What a goroutine does happens
// after what led to its start, and before nothing outside of it.
func (f *Func) Precedes(a, b *Effect) bool {
	if Before(a, b) {
		return true
	}
	switch {
	case a.At == b.At:
		return a.When == b.When && a.Seq < b.Seq
	case a.When == Spawned:
		return false
	case a.When == Inline && b.When == Deferred:
		return true
	case a.When == Deferred:
		return b.When == Deferred && a.flow.Reaches(b.At, a.At) // the last defer runs first
	}
	return a.flow.Reaches(a.At, b.At) && !a.flow.Reaches(b.At, a.At)
}

// Alternatives are the paths that one can be: the term itself where it is one alone.
func Alternatives(t *pathexpr.Term) []*pathexpr.Term {
	if t.Kind == pathexpr.Alt {
		return t.Args
	}
	return []*pathexpr.Term{t}
}

// Reads reports whether data are, or are made of, the content of the file at path.
func Reads(data, path *pathexpr.Term) bool {
	return data.Any(func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Content && memory.SameFile(t.Args[0], path) })
}

// A kindSet is a set of kinds.
type kindSet [4]uint64

func (s *kindSet) add(k Kind) { s[k/64] |= 1 << (k % 64) }

func (s *kindSet) has(k Kind) bool { return s[k/64]&(1<<(k%64)) != 0 }

// A sublist are the effects of a function of some kinds.
type sublist struct {
	kinds kindSet
	list  []*Effect
}

// OfKind lists the effects of the function that are of one of the kinds, in their order.
// A list is made once: in a large package, functions have thousands of effects, and most
// questions are about the few of a kind or two. Nobody may change it, nor Effects later.
func (f *Func) OfKind(kinds ...Kind) []*Effect {
	var s kindSet
	for _, k := range kinds {
		s.add(k)
	}
	i := slices.IndexFunc(f.sublists, func(l sublist) bool { return l.kinds == s })
	if i < 0 {
		i = len(f.sublists)
		list := such(f.Effects, func(e *Effect) bool { return s.has(e.Kind) })
		f.sublists = append(f.sublists, sublist{s, slices.Clip(list)})
	}
	return f.sublists[i].list
}

// such are those effects of a list of which something is so.
func such(list []*Effect, is func(*Effect) bool) (found []*Effect) {
	for _, e := range list {
		if is(e) {
			found = append(found, e)
		}
	}
	return found
}

// OnFile is OfKind for those effects whose path is that of a file, or of a handle of it.
func (f *Func) OnFile(path *pathexpr.Term, kinds ...Kind) []*Effect {
	return such(f.OfKind(kinds...), func(e *Effect) bool { return memory.SameFile(e.Path, path) })
}

// OnHandle is OfKind for those effects that act on a handle: see [Effect.On].
func (f *Func) OnHandle(h *pathexpr.Term, kinds ...Kind) []*Effect {
	return such(f.OfKind(kinds...), func(e *Effect) bool { return e.On(h) })
}

// ReadersOf lists the effects of the function that read a file, or decode what it holds, in their order.
func (f *Func) ReadersOf(path *pathexpr.Term) []*Effect {
	return such(f.OfKind(Read, Decode), func(e *Effect) bool {
		return e.Kind == Read && memory.SameFile(e.Path, path) || e.Kind == Decode && Reads(e.Data, path)
	})
}

// EffectsAt lists the effects that happen at an instruction of the function, in their order.
func (f *Func) EffectsAt(i ssa.Instruction) []*Effect {
	if f.at == nil {
		f.at = make(map[ssa.Instruction][]*Effect)
		for _, e := range f.Effects {
			f.at[e.At] = append(f.at[e.At], e)
		}
	}
	return f.at[i]
}

// Depth is how many calls deep an effect is, those in other packages among them.
func (e *Effect) Depth() int {
	if e.Foreign == "" {
		return len(e.Via)
	}
	return len(e.Via) + 1 + int(e.Below)
}

// own reports whether the function has the effect itself, and not by a call.
func (e *Effect) own() bool { return len(e.Via) == 0 && e.Foreign == "" }

// Place is where an instruction of the function stands, or else the function: not each has a position.
func (f *Func) Place(i ssa.Instruction) token.Pos {
	if i == nil {
		return f.SSA.Pos()
	}
	return cmp.Or(i.Pos(), f.SSA.Pos())
}

// Innermost is the effect as the function of the package has it that makes the call.
func (e *Effect) Innermost() *Effect {
	for e.CalleeEffect != nil {
		e = e.CalleeEffect
	}
	return e
}

// opening is the effect of opening a file in a way that only callers know, by Flags.
const opening Kind = 254
