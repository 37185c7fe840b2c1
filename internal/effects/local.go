package effects

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// deletes reports whether a call takes an entry out of a map. Where a package
// has none, nothing is noted of its maps.
func (p *Package) deletes(call *ast.CallExpr) bool {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		_, builtin := p.pass.TypesInfo.Uses[fun].(*types.Builtin)
		return builtin && fun.Name == "delete"
	case *ast.SelectorExpr:
		fn, ok := p.pass.TypesInfo.Uses[fun.Sel].(*types.Func)
		return ok && known.Path(fn) == "sync" && mapMethods[fn.FullName()] == Forget
	}
	return false
}

// mapMethods are what the methods of sync.Map do to an entry.
var mapMethods = map[string]Kind{
	"(*sync.Map).Load": Consult, "(*sync.Map).LoadOrStore": Claim, "(*sync.Map).Store": Claim, "(*sync.Map).Swap": Claim,
	"(*sync.Map).Delete": Forget, "(*sync.Map).LoadAndDelete": Forget, "(*sync.Map).CompareAndDelete": Forget,
}

// mutexMethods are what the methods of mutexes do.
var mutexMethods = map[string]Kind{
	"(*sync.Mutex).Lock": Acquire, "(*sync.Mutex).Unlock": Release, "(sync.Locker).Lock": Acquire, "(sync.Locker).Unlock": Release,
	"(*sync.RWMutex).Lock": Acquire, "(*sync.RWMutex).Unlock": Release,
}

// local notes a call that acts on a registry, and reports whether it is one. A
// mutex is noted here too, in order with the registries that it guards.
func (w *walker) local(fn *types.Func, i ssa.Instruction, c *ssa.CallCommon, when When) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok && b.Name() == "delete" {
		w.note(&Effect{Kind: Forget, Path: w.p.term(c.Args[0]), Data: w.p.term(c.Args[1])}, i, c, when)
		return true
	}
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync" {
		return false
	}
	args := callArgs(c)
	if len(args) == 0 {
		return false // a method value, whose receiver is bound
	}
	if kind, ok := mutexMethods[fn.FullName()]; ok {
		w.note(&Effect{Kind: kind, Path: w.p.term(args[0])}, i, c, when)
		return false
	}
	kind, ok := mapMethods[fn.FullName()]
	if !ok || len(args) < 2 {
		return false
	}
	w.note(&Effect{Kind: kind, Path: w.p.term(args[0]), Data: w.p.term(args[1]), Shared: true}, i, c, when)
	if fn.Name() == "LoadOrStore" {
		w.note(&Effect{Kind: Consult, Path: w.p.term(args[0]), Data: w.p.term(args[1])}, i, c, when)
	}
	return true
}

// registry notes an instruction that acts on a map which is a field or a package
// variable.
func (w *walker) registry(kind Kind, m, key ssa.Value, i ssa.Instruction) {
	if _, ok := m.Type().Underlying().(*types.Map); !ok || !w.p.forgets {
		return
	}
	t := w.p.term(m)
	if t.Kind != pathexpr.Field && t.Kind != pathexpr.Global {
		return
	}
	w.seq++
	e := &Effect{Kind: kind, Path: t, Data: w.p.term(key), In: w.f.SSA, Pos: i.Pos(), instr: i, seq: w.seq, flow: w.p.flow}
	w.keepLocal(e, Inline)
}

// note appends a local effect, or keeps it for the end of the function.
func (w *walker) note(e *Effect, i ssa.Instruction, c *ssa.CallCommon, when When) {
	if !w.p.forgets {
		return
	}
	w.place(e, i, c, when)
	w.keepLocal(e, when)
}

func (w *walker) keepLocal(e *Effect, when When) {
	if when == Deferred {
		w.later = append(w.later, e)
	} else {
		w.f.Local = append(w.f.Local, e)
	}
}

// spliceLocal adds the local effects of a function of the package in terms of
// this call.
func (w *walker) spliceLocal(f *Func, call *ast.CallExpr, args lowering, i ssa.Instruction, c *ssa.CallCommon, when When) {
	if !w.p.forgets {
		return
	}
	for _, e := range endsOf(f.Local) {
		if len(w.f.Local) > maxEffects {
			return
		}
		if e.comesFrom(w.f.SSA) {
			continue
		}
		ne := w.p.passedOn(e)
		ne.restate(args)
		if call != nil && f.SSA.Parent() == nil {
			ne.Via = append([]*ast.CallExpr{call}, e.Via...)
		}
		if ne.When == Deferred {
			ne.When = Inline
		}
		w.note(ne, i, c, when)
	}
}
