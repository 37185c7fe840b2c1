package live

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/refactor/satisfy"
)

// conversions are the values of interfaces that a package makes, and what it asks them for.
type conversions struct {
	through   map[Name]bool   // methods of the types, which the interfaces have
	within    map[Name]bool   // types that become interfaces of the packages that are known
	abroad    map[Name]bool   // types that become interfaces of others, which can ask for any method
	asserted  map[string]bool // the names of methods that the values are asked for
	uncertain bool            // they are not known
}

func newConversions() conversions {
	return conversions{
		through: make(map[Name]bool), within: make(map[Name]bool), abroad: make(map[Name]bool), asserted: make(map[string]bool),
	}
}

// conversionsOf are those of a package that was type-checked.
func (u *Uses) conversionsOf(p *packages.Package, dynamic map[string]bool) conversions {
	c := newConversions()
	pairs, ok := satisfied(p)
	c.uncertain = !ok
	for pair := range pairs {
		u.convert(&c, pair.LHS, pair.RHS, dynamic)
	}
	for id, inst := range p.TypesInfo.Instances {
		params := paramsOf(p.TypesInfo.Uses[id])
		for i := range min(params.Len(), inst.TypeArgs.Len()) {
			u.convert(&c, params.At(i).Constraint(), inst.TypeArgs.At(i), dynamic)
		}
	}
	for _, f := range p.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				c.ask(p.TypesInfo, n.Type)
			case *ast.CaseClause:
				for _, e := range n.List {
					c.ask(p.TypesInfo, e)
				}
			}
			return true
		})
	}
	return c
}

// satisfied are the pairs of an interface and a type of which the package makes a value of it:
// false where they cannot be told, since the library ends with a panic on syntax that it does
// not expect.
func satisfied(p *packages.Package) (pairs map[satisfy.Constraint]bool, ok bool) {
	defer func() { ok = recover() == nil }()
	var f satisfy.Finder
	f.Find(p.TypesInfo, p.Syntax)
	return f.Result, true
}

// convert notes that a value of a type becomes one of an interface.
func (u *Uses) convert(c *conversions, iface, t types.Type, dynamic map[string]bool) {
	i, ok := iface.Underlying().(*types.Interface)
	if !ok || types.IsInterface(t) {
		return
	}
	for m := range i.Methods() {
		obj, _, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
		if to := nameOf(obj, dynamic); u.own[to.Package] {
			c.through[to] = true
		}
	}
	list := c.within
	if named, ok := types.Unalias(iface).(*types.Named); ok && (named.Obj().Pkg() == nil || !u.own[named.Obj().Pkg().Path()]) {
		list = c.abroad
	}
	u.note(list, t, dynamic)
}

// note adds a type, and those from which it has its methods.
func (u *Uses) note(list map[Name]bool, t types.Type, dynamic map[string]bool) {
	name := nameOf(typeName(t), dynamic)
	if !u.own[name.Package] || list[name] {
		return
	}
	list[name] = true
	s, ok := typeName(t).Type().Underlying().(*types.Struct)
	if !ok {
		return
	}
	for f := range s.Fields() {
		if f.Embedded() {
			u.note(list, f.Type(), dynamic)
		}
	}
}

// ask adds the names of the methods of an interface that a value is asked for.
func (c *conversions) ask(info *types.Info, e ast.Expr) {
	if e == nil || !info.Types[e].IsType() {
		return
	}
	if i, ok := info.TypeOf(e).Underlying().(*types.Interface); ok {
		for m := range i.Methods() {
			c.asserted[m.Name()] = true
		}
	}
}

// paramsOf are the type parameters of an object; none for one that is not generic.
func paramsOf(obj types.Object) *types.TypeParamList {
	if obj != nil {
		switch t := types.Unalias(obj.Type()).(type) {
		case *types.Named:
			return t.TypeParams()
		case *types.Signature:
			return t.TypeParams()
		}
	}
	return nil
}
