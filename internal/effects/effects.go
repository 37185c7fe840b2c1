// Package effects says what each function of a package does to files and
// locks, in order. It is the only place that knows how Go code touches files:
// checks read effects, never syntax. What it cannot resolve it calls unknown;
// it never guesses.
package effects

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
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
	Make                        // Path is opened, and made where it is not there; its content is kept
	Write                       // Data is written through Handle
	Flush                       // a buffer in front of Handle is written
	Sync                        // Handle is synced
	Close                       // Handle is closed
	Seek                        // Handle is moved, or its end is asked for
	Cut                         // what Path holds behind a position is cut off
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
	Keep                        // Handle is put into the field Target
	MakeDir                     // Path, a directory, is made and must not have been there
	EnsureDir                   // Path, a directory, is made where it is not there, with the mode Data
	Fill                        // what From names is put into the memory Target
	Load                        // the memory Object, that a call returns, has been loaded from its file
)

// The kinds of effects within the process; Func.Local and Marks have these.
const (
	Consult Kind = iota + 100 // the registry Path, a map, is asked for the key Data
	Claim                     // an entry Data is made in it
	Forget                    // it is deleted
	Send                      // something is sent to the channel Path
	Receive                   // something is received from it
)

// When says when an effect happens relative to its function.
type When uint8

// An effect happens in order, when the function returns, or in a goroutine.
const (
	Inline When = iota
	Deferred
	Spawned
)

// An Effect is one thing that a function does to a file or a lock.
type Effect struct {
	Kind Kind
	// Path is the file acted on; for effects on handles, the path under it.
	Path *pathexpr.Term
	// Target is the second path of Rename and Link, or the memory of Keep and Fill.
	Target *pathexpr.Term
	// Handle is the handle acted on, wrappers included; nil for effects on
	// paths.
	Handle *pathexpr.Term
	// Data is what is written or decoded, and how a lock is taken; nil where
	// unknown.
	Data *pathexpr.Term
	// Object is the memory that is written to a file which it names itself, it or a
	// part of it, or, of a Fill and a Load, that is loaded from there; nil for any other.
	Object *pathexpr.Term
	// From is what the bytes that are written derive from, or what is put into
	// memory.
	From []Source
	When When
	// Dropped says that the error of the call is not looked at.
	Dropped bool
	// Swallowed says of a Decode and a Read of another package that its function
	// does not tell that they have failed.
	Swallowed bool
	// Empty says of the same, by result, which are nil or false where that has
	// failed and none is an error.
	Empty []bool
	// Whole says that one call truncates, writes and closes.
	Whole bool
	// Opens says that the call which has the effect returns the handle.
	Opens bool
	// Line is what a Write is to the lines of the file.
	Line Line
	// Makes says that the call makes the file where it is not there.
	Makes bool
	// Synced says that the handle was opened to sync every write.
	Synced bool
	// Try says of a Lock that the call may come back without it and without an
	// error; Shared, that others can have it at the same time; of a registry,
	// that it needs no mutex; Waits, that it is one of flock(2) that is waited
	// for.
	Try, Shared, Waits bool
	// Sidecar says of a Lock and an Unlock that the lock is an object of its own,
	// and its file there for nothing else.
	Sidecar bool
	// Record says of a Lock that it belongs to the process and the file, not to
	// the open file: closing any open file of it lets go of the lock.
	Record bool
	// Maybe says of an effect that gives something up, that a function on the way
	// to it decides whether it happens; Final, that the program ends behind it.
	Maybe, Final bool

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
	// for effects of this package. Reported says that its own package was told, or
	// had all it takes to judge.
	Foreign  string
	Reported bool
	// Site is where an effect of another package stands: see [Package.Site].
	Site string

	busy []*ssa.BasicBlock // of a Consult: where its function goes that finds something

	number ssa.Value // the descriptor's number, of what is given that and no open file

	how known.Op // of a Lock, the system call of which Data says what it does

	instr ssa.Instruction // where it happens in the function that owns the list
	seq   int             // order among effects of one instruction
	bytes []ssa.Value     // what is written, until From says what that derives from

	// It comes about by a call among functions that call each other: those are told of it,
	// and tell it to others, but not to each other again.
	around bool

	of   *Effect       // the effect of the called function that it is, nil for one of its own
	flow *flow.Program // of the package
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
	// Callees are the declared functions of the package that it calls.
	Callees []*ssa.Function

	// Local is what it does to the registries of the package and to mutexes, in
	// the order of Effects. It does not travel.
	Local []*Effect

	own, marks markList // see Marks: of itself alone, and with calls

	telling, tellingAround, tellingLocal []*Effect // see told
	component                            int       // the functions that call each other, and those around and in them, have the same

	gives [][]*Effect // by result: the effects of the function that it returns
	fresh []bool      // by result: whether it is memory that the function has loaded whole
}

// Name is the function as a reader would write it.
func (f *Func) Name() string { return FuncName(f.SSA) }

// FullName is the name by which other packages tell the function, with its import
// path; empty for a literal.
func (f *Func) FullName() string {
	if obj, ok := f.SSA.Object().(*types.Func); ok {
		return obj.FullName()
	}
	return ""
}

// FuncName is a function's name with its receiver's type: "(*Store).save". A
// function literal is called by the name of the function around it, and one that
// stands in a package variable has none.
func FuncName(fn *ssa.Function) string {
	literal := fn.Parent() != nil
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if literal && fn.Synthetic != "" {
		return "a function literal"
	}
	if recv := fn.Signature.Recv(); recv != nil {
		return "(" + types.TypeString(recv.Type(), func(*types.Package) string { return "" }) + ")." + fn.Name()
	}
	return fn.Name()
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
	if a.When != Inline && a.When == b.When && a.instr == b.instr {
		return a.seq < b.seq // in one goroutine, or one deferred call
	}
	if a.When != Inline {
		return false
	}
	if a.instr == nil || b.instr == nil || a.instr.Parent() != b.instr.Parent() {
		return false
	}
	if a.instr == b.instr {
		return a.seq < b.seq
	}
	return a.flow.Dominates(a.instr, b.instr)
}

// On reports whether the effect acts on the handle h, or on one of several
// handles of which h is one.
func (e *Effect) On(h *pathexpr.Term) bool {
	if e.Handle == nil || h == nil {
		return false
	}
	handle, key := e.Handle.File(), h.File().Key()
	if handle.Kind != pathexpr.Alt {
		return handle.Key() == key
	}
	return slices.ContainsFunc(handle.Args, func(alt *pathexpr.Term) bool { return alt.File().Key() == key })
}

// Here is the call in the function that owns the effect list.
func (e *Effect) Here() *ast.CallExpr {
	if len(e.Via) > 0 {
		return e.Via[0]
	}
	return e.Call
}

// Instr is the instruction in the function that owns the effect list.
func (e *Effect) Instr() ssa.Instruction { return e.instr }

// SameFile reports whether two terms name the same file or handle.
func SameFile(a, b *pathexpr.Term) bool {
	if a == nil || b == nil {
		return false
	}
	return a.Key() == b.Key() || a.Path().Key() == b.Path().Key()
}

// At is the instruction in the function that owns the effect list.
func (e *Effect) At() ssa.Instruction { return e.instr }

// OneCall reports whether one call of the function has both effects.
func OneCall(a, b *Effect) bool { return a.instr == b.instr }

// Precedes reports whether a happens before b in a run of the function in which
// both happen; a and b are among its effects. What a goroutine does happens
// after what led to its start, and before nothing outside of it.
func (f *Func) Precedes(a, b *Effect) bool {
	if Before(a, b) {
		return true
	}
	switch {
	case a.instr == b.instr:
		return a.When == b.When && a.seq < b.seq
	case a.When == Spawned:
		return false
	case a.When == Inline && b.When == Deferred:
		return true
	case a.When == Deferred:
		return b.When == Deferred && a.flow.Reaches(b.instr, a.instr) // the last defer runs first
	}
	return a.flow.Reaches(a.instr, b.instr) && !a.flow.Reaches(b.instr, a.instr)
}

// OfModule reports whether the full name of a function is one of the module that
// the package belongs to.
func (p *Package) OfModule(name string) bool {
	module, _, _ := strings.Cut(p.pass.Pkg.Path(), "/")
	if p.pass.Module != nil && p.pass.Module.Path != "" {
		module = p.pass.Module.Path
	}
	return strings.HasPrefix(strings.TrimLeft(name, "(*"), module)
}
