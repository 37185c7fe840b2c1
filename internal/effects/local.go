package effects

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
)

// mapMethods are what the methods of sync.Map do to an entry.
var mapMethods = map[string]Kind{
	"(*sync.Map).Load": Consult, "(*sync.Map).LoadOrStore": Claim, "(*sync.Map).Store": Claim, "(*sync.Map).Swap": Claim,
	"(*sync.Map).Delete": Forget, "(*sync.Map).LoadAndDelete": Forget, "(*sync.Map).CompareAndDelete": Forget,
}

// noteDelete notes the field or variable that is the map out of which a call takes an entry, if it does.
// Nothing is noted of other maps.
func (p *Package) noteDelete(call *ast.CallExpr) {
	var m ast.Expr
	switch fn := typeutil.Callee(p.Pass.TypesInfo, call).(type) {
	case *types.Builtin:
		if fn.Name() == "delete" {
			m = call.Args[0]
		}
	case *types.Func:
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && known.Path(fn) == "sync" && mapMethods[fn.FullName()] == Forget {
			m = sel.X
		}
	}
	var id *ast.Ident
	switch m := ast.Unparen(m).(type) {
	case *ast.Ident:
		id = m
	case *ast.SelectorExpr:
		id = m.Sel
	}
	if v, ok := p.Pass.TypesInfo.Uses[id].(*types.Var); ok {
		p.forgets[v.Origin()] = true
	}
}

// isRegistry reports whether something is deleted from a map: from the field or package variable that holds it.
func (p *Package) isRegistry(m ssa.Value) bool {
	if load, ok := m.(*ssa.UnOp); ok && load.Op == token.MUL {
		m = load.X
	}
	switch m := m.(type) {
	case *ssa.FieldAddr:
		return p.forgets[memory.StructOf(m.X.Type()).Field(m.Field).Origin()]
	case *ssa.Global:
		v, ok := m.Object().(*types.Var)
		return ok && p.forgets[v]
	}
	return false
}

// entry adds what an instruction does to an entry of a map.
func (w *walker) entry(kind Kind, m, key ssa.Value, i ssa.Instruction) {
	if w.p.isRegistry(m) {
		w.note(kind, w.p.Term(m), i).Data = w.p.Term(key)
	}
}

// entryCall adds what a call does to an entry of a map, and reports whether that is all that it does.
func (w *walker) entryCall(fn *types.Func, args []ssa.Value, i ssa.Instruction, c *ssa.CallCommon, when When) bool {
	b, builtin := c.Value.(*ssa.Builtin)
	kind, ok := Forget, builtin && b.Name() == "delete"
	if fn != nil && known.Path(fn) == "sync" {
		kind, ok = mapMethods[fn.FullName()]
	}
	if !ok || len(args) < 2 { // or a method value, whose receiver is bound
		return false
	}
	if !w.p.isRegistry(args[0]) {
		return true
	}
	of := Action{Kind: kind, Path: w.p.Term(args[0]), Data: w.p.Term(args[1]), Shared: !builtin}
	w.add(&Effect{Action: of}, i, c, when)
	if !builtin && fn.Name() == "LoadOrStore" {
		of.Kind = Consult
		w.add(&Effect{Action: of}, i, c, when)
	}
	return true
}
