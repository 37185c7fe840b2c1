package memory

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
)

// IndexValues finds the package variables and the fields of text, of writers and
// of locks that are given exactly one value: by the package's initialisation, by
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
		case v.Pkg() != p.Pass.Pkg || !once(v):
		case IsString(st.Val.Type()):
			p.Fields[v] = st.Val
		case known.CanLock(st.Val.Type()) && typ != "" && !IsNil(st.Val):
			p.locks[typ+"."+v.Name()] = st
		case isWriter(st.Val.Type()):
			p.Writers[typ+"."+v.Name()] = st.Val
		}
	}
}

// InTestFile reports whether pos stands in a _test.go file.
func InTestFile(fset *token.FileSet, pos token.Pos) bool {
	return strings.HasSuffix(fset.Position(pos).Filename, "_test.go")
}

// IndexMethods finds the methods behind the package's own interfaces that only
// one of its types outside of tests implements: a seam for tests, whose real
// side is that type.
func (p *Values) IndexMethods() {
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
		if impl := onlyImplementation(i, concrete); impl != nil {
			p.bind(i.Underlying().(*types.Interface), impl)
		}
	}
}

func onlyImplementation(i *types.Named, concrete []*types.Named) types.Type {
	iface := i.Underlying().(*types.Interface)
	if iface.NumMethods() == 0 {
		return nil
	}
	var impl types.Type
	for _, c := range concrete {
		if types.Implements(types.NewPointer(c), iface) {
			if impl != nil {
				return nil
			}
			impl = types.NewPointer(c)
		}
	}
	return impl
}

func (p *Values) bind(iface *types.Interface, impl types.Type) {
	for m := range iface.Methods() {
		if m.Pkg() != p.Pass.Pkg {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(impl, true, m.Pkg(), m.Name())
		if fn, ok := obj.(*types.Func); ok && fn.Pkg() == p.Pass.Pkg {
			p.methods[m] = p.SSA.Prog.FuncValue(fn)
		}
	}
}
