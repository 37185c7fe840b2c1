package effects

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/process"
)

// A Package holds the effects of one package.
type Package struct {
	*memory.Values
	Fset *token.FileSet
	// Funcs are the functions by name, literals after the function
	// around them.
	Funcs []*Func
	// Process says which functions start programs, wait for the user or end the program.
	Process *process.Index
	// Beside are those that have nothing to do with files, and use an object the lock of
	// which may be disregarded; see [slice.Slice.Alone].
	Beside []*Func

	calls   map[token.Pos]*ast.CallExpr // by the position that SSA gives a call
	forgets map[*types.Var]bool         // the maps from which something is deleted
	callees map[*ast.CallExpr]*ssa.Function
	byFn    map[*ssa.Function]*Func
	nexts   map[*Func][]*Func // see next
	ways    map[ssa.Instruction]way
	giving  map[ssa.Value]bool // the function values that are being followed

	funcs   *flow.Query[*ssa.Function, *Func]
	yielded *flow.Query[*ssa.Function, [][]memory.Source] // what results derive from
	endless *flow.Query[*ssa.Function, bool]              // whether it never returns
	bits    *flow.Query[ssa.Value, bits]                  // the flags that a value can have

	facts   map[*types.Func]*Summary // of functions of other packages
	flags   openFlags
	records recordFlags
	derived map[any]any // see Derived
}

// A Config says how the effects of a package are computed.
type Config struct {
	Tests bool // those of its tests, too
	Limit int  // the number of steps that may be taken; zero for [flow.Limit]
}

// All are the functions of both kinds.
func (p *Package) All() []*Func {
	if len(p.Beside) == 0 {
		return p.Funcs
	}
	return slices.Concat(p.Funcs, p.Beside)
}

// next are the functions of the package that f calls, or that stand in it.
func (p *Package) next(f *Func) []*Func {
	if list, ok := p.nexts[f]; ok {
		return list
	}
	var list []*Func
	for _, fn := range slices.Concat(f.Callees, f.SSA.AnonFuncs) {
		if g := p.byFn[fn]; g != nil {
			list = append(list, g)
		}
	}
	p.nexts[f] = list
	return list
}

// GaveUp lists the questions about the package that were not answered.
func (p *Package) GaveUp() []flow.GaveUp { return p.Flow.GaveUp() }

// GiveUp notes that a question about the package is not answered.
func (p *Package) GiveUp(question string) { p.Flow.GiveUp(question, "", flow.Steps) }

// Ended reports whether the steps have ended that the analysis of the package may take.
// What the package has answered since may be wrong.
func (p *Package) Ended() bool { return p.Flow.Ended() }

// Steps are those that the analysis of the package has taken.
func (p *Package) Steps() int { return p.Flow.Steps() }

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

// CallAt is the syntax of a call by the position that SSA gives it, nil where it has
// none.
func (p *Package) CallAt(pos token.Pos) *ast.CallExpr { return p.calls[pos] }

// Callee returns the declared function of the package that a call leads to, nil
// for any other call.
func (p *Package) Callee(call *ast.CallExpr) *Func { return p.byFn[p.callees[call]] }

// fn is a function with its effects; nil for one that calls itself, where nothing is
// known of that yet.
func (p *Package) fn(fn *ssa.Function) *Func { return p.funcs.Ask(fn) }

// A way is how control passes an instruction: whether it can come to a return
// without it, and to one after it.
type way struct{ around, behind bool }

// A lowering restates terms of one callee in terms of one call.
type lowering struct {
	values *memory.Values
	args   []*pathexpr.Term
}

// Fact is the summary of a function of another package, nil where there is none.
func (p *Package) Fact(fn *types.Func) *Summary {
	fn = fn.Origin()
	s, ok := p.facts[fn]
	if !ok {
		var fact Summary
		if p.Pass.ImportObjectFact(fn, &fact) {
			s = &fact
		}
		p.facts[fn] = s
	}
	return s
}

// openFlags are the values of os.O_* for the platform under analysis.
type openFlags struct {
	wronly, rdwr, append, create, excl, sync, trunc int64
}

func newOpenFlags(pkg *types.Package) openFlags {
	value := func(names ...string) int64 {
		for _, imp := range pkg.Imports() {
			switch imp.Path() {
			case "os", "syscall", "golang.org/x/sys/unix":
			default:
				continue
			}
			for _, name := range names {
				if c, ok := imp.Scope().Lookup(name).(*types.Const); ok {
					v, _ := constant.Int64Val(constant.ToInt(c.Val()))
					return v
				}
			}
		}
		return 0
	}
	return openFlags{
		wronly: value("O_WRONLY"), rdwr: value("O_RDWR"), append: value("O_APPEND"), create: value("O_CREATE", "O_CREAT"),
		excl: value("O_EXCL"), sync: value("O_SYNC"), trunc: value("O_TRUNC"),
	}
}

// bits are the flags that a value has on some path and on every path; known is
// false when a part of it cannot be seen.
type bits struct {
	may, must int64
	known     bool
}

// noBits are those of a value that is none: united with others they change nothing.
var noBits = bits{must: -1, known: true}

// either unites two values of which one is taken.
func (b bits) either(o bits) bits {
	return bits{b.may | o.may, b.must & o.must, b.known && o.known}
}

// recordFlags are the values of F_* for the platform under analysis, -1 where it
// has none.
type recordFlags struct {
	read, unlock, ask, askOpenFile int64
}

func newRecordFlags(pkg *types.Package) recordFlags {
	value := func(name string) int64 {
		for _, imp := range pkg.Imports() {
			if imp.Path() != "syscall" && imp.Path() != "golang.org/x/sys/unix" {
				continue
			}
			if c, ok := imp.Scope().Lookup(name).(*types.Const); ok {
				n, _ := constant.Int64Val(constant.ToInt(c.Val()))
				return n
			}
		}
		return -1
	}
	return recordFlags{value("F_RDLCK"), value("F_UNLCK"), value("F_GETLK"), value("F_OFD_GETLK")}
}

// is reports whether the bits are those of n and no others.
func (b bits) is(n int64) bool { return b.known && b.may == n && b.must == n }
