package effects

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/slice"
)

// noteDelete notes the map out of which a call takes an entry, if it does.
func (p *Package) noteDelete(call *ast.CallExpr) {
	var m ast.Expr
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		if _, builtin := p.Pass.TypesInfo.Uses[fun].(*types.Builtin); builtin && fun.Name == "delete" && len(call.Args) > 0 {
			m = call.Args[0]
		}
	case *ast.SelectorExpr:
		if fn, ok := p.Pass.TypesInfo.Uses[fun.Sel].(*types.Func); ok && known.Path(fn) == "sync" && mapMethods[fn.FullName()] == Forget {
			m = fun.X
		}
	}
	if m == nil {
		return
	}
	var id *ast.Ident
	switch m := ast.Unparen(m).(type) {
	case *ast.Ident:
		id = m
	case *ast.SelectorExpr:
		id = m.Sel
	}
	if v, ok := p.Pass.TypesInfo.Uses[id].(*types.Var); ok && (v.IsField() || slice.PackageLevel(v)) {
		if p.forgets.vars == nil {
			p.forgets.vars = map[*types.Var]bool{}
		}
		p.forgets.vars[v.Origin()] = true
		return
	}
	if t := p.Pass.TypesInfo.TypeOf(m); t != nil {
		p.forgets.types = append(p.forgets.types, known.Pointee(t))
	}
}

// local notes a call that acts on a registry, and reports whether it is one. A
// mutex is noted here too, in order with the registries that it guards.
func (w *walker) local(fn *types.Func, i ssa.Instruction, c *ssa.CallCommon, when When) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok && b.Name() == "delete" {
		w.note(&Effect{Action: Action{Kind: Forget, Path: w.p.Term(c.Args[0]), Data: w.p.Term(c.Args[1])}}, i, c, when)
		return true
	}
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync" {
		return false
	}
	args := memory.CallArgs(c)
	if len(args) == 0 {
		return false // a method value, whose receiver is bound
	}
	if kind, ok := mutexMethods[fn.FullName()]; ok {
		w.note(&Effect{Action: Action{Kind: kind, Path: w.p.Term(args[0])}}, i, c, when)
		return false
	}
	kind, ok := mapMethods[fn.FullName()]
	if !ok || len(args) < 2 {
		return false
	}
	if !w.p.forgets.has(args[0]) {
		return true
	}
	w.note(&Effect{Action: Action{Kind: kind, Path: w.p.Term(args[0]), Data: w.p.Term(args[1]), Shared: true}}, i, c, when)
	if fn.Name() == "LoadOrStore" {
		w.note(&Effect{Action: Action{Kind: Consult, Path: w.p.Term(args[0]), Data: w.p.Term(args[1])}}, i, c, when)
	}
	return true
}

// registry notes an instruction that acts on a map which is a field or a package
// variable.
func (w *walker) registry(kind Kind, m, key ssa.Value, i ssa.Instruction) {
	if _, ok := m.Type().Underlying().(*types.Map); !ok || !w.p.forgets.has(m) {
		return
	}
	t := w.p.Term(m)
	if t.Kind != pathexpr.Field && t.Kind != pathexpr.Global {
		return
	}
	w.seq++
	e := &Effect{Action: Action{Kind: kind, Path: t, Data: w.p.Term(key)}, In: w.f.SSA, Pos: i.Pos(), At: i, Seq: w.seq, flow: w.p.Flow}
	w.keepLocal(e, Inline)
}

// note appends a local effect, or keeps it for the end of the function.
func (w *walker) note(e *Effect, i ssa.Instruction, c *ssa.CallCommon, when When) {
	if !w.p.forgets.any() {
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

// localSummary are the local effects of a function that its callers have: its own, and no
// deeper ones.
func (f *Func) localSummary() []*Effect {
	if f.tellingLocal == nil {
		f.tellingLocal = endsOf(slices.DeleteFunc(slices.Clone(f.Local), func(e *Effect) bool { return !e.own() }))
	}
	return f.tellingLocal
}

// spliceLocal adds the local effects of a function of the package in terms of
// this call. What leads around to the function itself may come from there.
func (w *walker) spliceLocal(f *Func, call *ast.CallExpr, args lowering, i ssa.Instruction, c *ssa.CallCommon, when When) {
	if !w.p.forgets.any() {
		return
	}
	inCycle := w.p.funcs.Open(f.SSA)
	for _, e := range f.localSummary() {
		if len(w.f.Local) > maxEffects {
			return
		}
		if inCycle && e.comesFrom(w.f.SSA) {
			continue
		}
		ne := w.p.passedOn(e)
		ne.MapToCaller(args)
		if call != nil && f.SSA.Parent() == nil {
			ne.Via = append([]*ast.CallExpr{call}, e.Via...)
		}
		if ne.When == Deferred {
			ne.When = Inline
		}
		w.note(ne, i, c, when)
	}
}
