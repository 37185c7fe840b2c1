package lostupdate

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
)

// A setting is a call that gives a store what another call has got from it, changed.
type setting struct {
	Get, Set *ast.CallExpr
	Setter   known.Setter
	Instr    ssa.CallInstruction // the call that sets
}

// settings are those of a function.
func settings(p *failure.Package, f *effects.Func) []setting {
	var list []setting
	for _, b := range f.SSA.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(*ssa.Call)
			if !ok {
				continue
			}
			fn, args := p.CalleeOf(&call.Call), memory.CallArgs(&call.Call)
			setter, ok := known.SetterOf(fn)
			if !ok || setter.Value >= len(args) {
				continue
			}
			t := &getter{p: p, store: args[0], seen: map[ssa.Value]bool{}}
			if t.visit(args[setter.Value]); t.get != nil && p.Flow.Reaches(t.get, call) {
				list = append(list, setting{p.Call(t.get), p.Call(call), setter, call})
			}
		}
	}
	return list
}

// A getter looks for the call of a store's method that a value derives from.
type getter struct {
	p     *failure.Package
	store ssa.Value
	seen  map[ssa.Value]bool
	get   *ssa.Call
}

func (g *getter) visit(v ssa.Value) {
	if v == nil || g.get != nil || g.seen[v] {
		return
	}
	g.seen[v] = true
	switch v := v.(type) {
	case *ssa.Call:
		args := memory.CallArgs(&v.Call)
		if fn := g.p.CalleeOf(&v.Call); fn != nil && fn.Signature().Recv() != nil && len(args) > 0 && g.p.Term(args[0]).Equal(g.p.Term(g.store)) {
			g.get = v
			return
		}
		g.operands(v)
	case *ssa.Alloc:
		g.stored(v)
	case *ssa.Slice, *ssa.Phi, *ssa.Extract, *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.Index, *ssa.Lookup, *ssa.ChangeType, *ssa.Range, *ssa.Next:
		g.operands(v.(ssa.Instruction))
	case *ssa.UnOp:
		if v.Op == token.MUL {
			g.visit(v.X)
		}
	}
}

func (g *getter) operands(i ssa.Instruction) {
	for _, op := range flow.Operands(i) {
		g.visit(op)
	}
}

// stored visits what is put into a variable of the function, whole or by element.
func (g *getter) stored(a *ssa.Alloc) {
	for _, st := range flow.StoresTo(a) {
		g.visit(st.Val)
	}
	for _, e := range flow.Elements(a) {
		g.visit(e.Store.Val)
	}
}
