package memory

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
)

// IndexValues finds the package variables and the fields of text, of functions, of writers
// and of locks that are given exactly one value: by the package's initialisation, by
// a constructor.
func (p *Values) IndexValues(once func(*types.Var) bool) {
	visit := func(fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if st, ok := i.(*ssa.Store); ok {
					p.indexStore(once, st)
				}
			}
		}
	}
	for _, fn := range p.SourceFuncs() {
		visit(fn)
	}
	if init := p.SSA.Func("init"); init != nil {
		visit(init)
	}
}

// copies reports whether a value is what another object has in the field v.
func copies(v *types.Var, val ssa.Value) bool {
	load, ok := val.(*ssa.UnOp)
	if !ok {
		return false
	}
	fa, ok := load.X.(*ssa.FieldAddr)
	return ok && StructOf(fa.X.Type()).Field(fa.Field).Origin() == v
}

func (p *Values) indexStore(once func(*types.Var) bool, st *ssa.Store) {
	switch addr := st.Addr.(type) {
	case *ssa.Global:
		if v, ok := addr.Object().(*types.Var); ok && once(v) {
			p.Globals[addr] = st.Val
		}
	case *ssa.FieldAddr:
		of := StructOf(addr.X.Type())
		if of == nil {
			return
		}
		v := of.Field(addr.Field).Origin()
		switch typ := NamedType(addr.X.Type()); {
		case v.Pkg() != p.Pass.Pkg || !once(v) || copies(v, st.Val):
		case IsString(st.Val.Type()):
			p.Fields[v] = st.Val
		case IsFunc(st.Val.Type()):
			if fn, ok := st.Val.(*ssa.Function); ok {
				p.calls[v] = fn
			}
		case known.CanLock(st.Val.Type()) && typ != "" && !IsNil(st.Val):
			p.locks[typ+"."+v.Name()] = st
		}
	}
}

// InTestFile reports whether pos stands in a _test.go file.
func InTestFile(fset *token.FileSet, pos token.Pos) bool {
	return strings.HasSuffix(fset.Position(pos).Filename, "_test.go")
}

// IndexMethods finds the methods behind the package's own interfaces that only one of its
// types outside of tests implements, or one alone of those that act on files: a seam for
// tests, whose real side is that type. A type that has such an interface in a field hands on
// what it is asked.
func (p *Values) IndexMethods(acts func(*types.Func) bool) {
	scope := p.Pass.Pkg.Scope()
	var ifaces, concrete []*types.Named
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || InTestFile(p.Pass.Fset, tn.Pos()) {
			continue
		}
		named, ok := tn.Type().(*types.Named)
		switch {
		case !ok || named.TypeParams().Len() > 0:
		case types.IsInterface(named):
			ifaces = append(ifaces, named)
		default:
			concrete = append(concrete, named)
		}
	}
	for _, i := range ifaces {
		impls := implementations(i, concrete)
		if len(impls) > 1 {
			impls = slices.DeleteFunc(impls, func(c *types.Named) bool {
				return wraps(c, i) || !slices.ContainsFunc(p.methodsFor(i, c), acts)
			})
		}
		if len(impls) == 1 {
			for m := range i.Underlying().(*types.Interface).Methods() {
				if fn := p.methodFor(m, impls[0]); fn != nil {
					p.methods[m] = p.SSA.Prog.FuncValue(fn)
				}
			}
		}
	}
}

// Implemented are the methods of the package's interfaces that one type alone has, with those
// of the type.
func (p *Values) Implemented() map[*types.Func]*ssa.Function { return p.methods }

// implementations are the types that implement an interface.
func implementations(i *types.Named, concrete []*types.Named) []*types.Named {
	iface := i.Underlying().(*types.Interface)
	if iface.NumMethods() == 0 {
		return nil
	}
	var list []*types.Named
	for _, c := range concrete {
		if types.Implements(types.NewPointer(c), iface) {
			list = append(list, c)
		}
	}
	return list
}

// wraps reports whether a type has a value of an interface in a field.
func wraps(c, i *types.Named) bool {
	s := StructOf(c)
	if s == nil {
		return false
	}
	for field := range s.Fields() {
		if types.Identical(field.Type(), i) {
			return true
		}
	}
	return false
}

// methodsFor are the methods with which a type implements an interface.
func (p *Values) methodsFor(i, c *types.Named) []*types.Func {
	var list []*types.Func
	for m := range i.Underlying().(*types.Interface).Methods() {
		if fn := p.methodFor(m, c); fn != nil {
			list = append(list, fn)
		}
	}
	return list
}

// methodFor is the method of the package with which a type implements one of an interface
// of the package, nil for none.
func (p *Values) methodFor(m *types.Func, c *types.Named) *types.Func {
	if m.Pkg() != p.Pass.Pkg {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(c), true, m.Pkg(), m.Name())
	if fn, ok := obj.(*types.Func); ok && fn.Pkg() == p.Pass.Pkg {
		return fn
	}
	return nil
}
