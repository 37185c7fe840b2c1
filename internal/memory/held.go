package memory

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
)

// MaxElements bounds the lists that are followed: no path has more parts, and tables
// of texts would make large terms.
const MaxElements = 16

// Holds is the fact of a package variable that has one value, a function which the tables know: to
// call the variable is to call that.
type Holds struct{ Package, Name string }

// AFact marks Holds as a fact.
func (*Holds) AFact() {}

// HeldBy is the function that a variable of another package holds, nil where its package does not say.
func HeldBy(pass *analysis.Pass, v *types.Var) *types.Func {
	var h Holds
	if v.Pkg() == nil || v.Pkg() == pass.Pkg || !IsFunc(v.Type()) || !pass.ImportObjectFact(v, &h) {
		return nil
	}
	for _, imp := range v.Pkg().Imports() {
		if imp.Path() == h.Package {
			fn, _ := imp.Scope().Lookup(h.Name).(*types.Func)
			return fn
		}
	}
	return nil
}

// ExportHeld says what the variables of the package hold that others can name, and reports whether
// it is anything.
func (p *Values) ExportHeld() bool {
	any := false
	for g, val := range p.Globals {
		fn, ok := val.(*ssa.Function)
		if !ok || g.Object() == nil || !token.IsExported(g.Name()) {
			continue
		}
		of, ok := fn.Object().(*types.Func)
		if row, found := known.Lookup(of); !ok || !found || row.Op == known.None || of.Pkg() == p.Pass.Pkg || of.Signature().Recv() != nil {
			continue
		}
		p.Pass.ExportObjectFact(g.Object(), &Holds{of.Pkg().Path(), of.Name()})
		any = true
	}
	return any
}

// heldAt is the function that the variable of another package at an address holds, nil for none.
func (p *Values) heldAt(addr ssa.Value) *types.Func {
	g, ok := addr.(*ssa.Global)
	if !ok || g.Pkg == p.SSA {
		return nil
	}
	v, ok := g.Object().(*types.Var)
	if !ok {
		return nil
	}
	fn, asked := p.held[v]
	if !asked {
		fn = HeldBy(p.Pass, v)
		p.held[v] = fn
	}
	return fn
}

// IsFunc reports whether a type is one of functions.
func IsFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// IsNil reports whether a value is the constant nil.
func IsNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}
