package memory

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
)

// SourceFuncs lists the functions with a body by name, each before the literals in it, and
// those of package variables last. What is found first in it is so wherever the source has it.
func (p *Values) SourceFuncs() []*ssa.Function {
	var declared []*ssa.Function
	for _, f := range p.Pass.Files {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Body == nil {
				continue
			}
			obj, ok := p.Pass.TypesInfo.Defs[fd.Name].(*types.Func)
			if !ok {
				continue
			}
			if fn := p.SSA.Prog.FuncValue(obj); fn != nil && len(fn.Blocks) > 0 {
				declared = append(declared, fn)
			}
		}
	}
	slices.SortStableFunc(declared, func(f, g *ssa.Function) int { return cmp.Compare(FuncName(f), FuncName(g)) })
	var list []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		list = append(list, fn)
		for _, lit := range fn.AnonFuncs {
			add(lit)
		}
	}
	for _, fn := range declared {
		add(fn)
	}
	if init := p.SSA.Func("init"); init != nil {
		for _, lit := range init.AnonFuncs {
			add(lit)
		}
	}
	return list
}

// Body returns the function of the package that a call leads to, literals
// included; nil for any other call.
func (p *Values) Body(c *ssa.CallCommon) *ssa.Function {
	if lit := p.Static(c); lit != nil && lit.Parent() != nil && lit.Pkg == p.SSA {
		return lit
	}
	if fn := p.CalleeOf(c); fn != nil {
		return p.DeclaredBody(c, fn)
	}
	return nil
}

// Binding is what the enclosing function binds to a captured variable.
func Binding(v *ssa.FreeVar) ssa.Value {
	fn := v.Parent()
	if fn.Parent() == nil {
		return nil
	}
	index := -1
	for i, fv := range fn.FreeVars {
		if fv == v {
			index = i
		}
	}
	for _, blk := range fn.Parent().Blocks {
		for _, i := range blk.Instrs {
			if mc, ok := i.(*ssa.MakeClosure); ok && mc.Fn == fn && index >= 0 {
				return mc.Bindings[index]
			}
		}
	}
	return nil
}

// CallArgs lists the arguments with the receiver first.
func CallArgs(c *ssa.CallCommon) []ssa.Value {
	if c.IsInvoke() {
		return append([]ssa.Value{c.Value}, c.Args...)
	}
	if bound, ok := c.Value.(*ssa.MakeClosure); ok && len(bound.Bindings) == 1 {
		// A method value has its receiver from where it was made.
		if fn := bound.Fn.(*ssa.Function); fn.Syntax() == nil && fn.Signature.Recv() == nil && fn.Object() != nil &&
			fn.Object().(*types.Func).Signature().Recv() != nil {
			return append([]ssa.Value{bound.Bindings[0]}, c.Args...)
		}
	}
	return c.Args
}

// CalleeOf is the function object called, through function-valued package
// variables that have one value.
func (p *Values) CalleeOf(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	if fn := p.Static(c); fn != nil {
		obj, _ := fn.Object().(*types.Func)
		if obj == nil && fn.Origin() != nil {
			obj, _ = fn.Origin().Object().(*types.Func)
		}
		return obj
	}
	return nil
}

// Static is the function or the literal that a call leads to where there is one alone,
// through variables, fields and interfaces of the package that have one; nil for any other call.
func (p *Values) Static(c *ssa.CallCommon) *ssa.Function {
	if c.IsInvoke() {
		return p.methods[c.Method]
	}
	if fn := c.StaticCallee(); fn != nil {
		return fn
	}
	if load, ok := c.Value.(*ssa.UnOp); ok && load.Op == token.MUL {
		switch addr := load.X.(type) {
		case *ssa.Global:
			fn, _ := p.Globals[addr].(*ssa.Function)
			return fn
		case *ssa.FieldAddr:
			if s := StructOf(addr.X.Type()); s != nil {
				return p.calls[s.Field(addr.Field).Origin()]
			}
		}
	}
	return nil
}

// OneOf lists the functions that a value may be where it is one of several: those between which
// branches choose, or those of a table that is written out. It is nil for any other value.
func (p *Values) OneOf(v ssa.Value) (list []ssa.Value) {
	switch v := v.(type) {
	case *ssa.Phi:
		list = flow.Edges(p.Flow.Budget, v)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			list = p.storedFunctions(v.X)
		}
	case *ssa.Lookup:
		list = p.tabled(v.X)
	}
	list = slices.DeleteFunc(list, IsNil)
	if len(list) > MaxElements {
		return nil
	}
	return list
}

// storedFunctions are what is stored at the address of a local variable, or of an element of a list.
func (p *Values) storedFunctions(addr ssa.Value) (list []ssa.Value) {
	switch addr := addr.(type) {
	case *ssa.Alloc:
		for _, st := range flow.StoresTo(addr) {
			if st.Parent() != addr.Parent() {
				return nil // what it captures is named otherwise there
			}
			list = append(list, st.Val)
		}
		if len(list) == 1 {
			return nil
		}
	case *ssa.IndexAddr:
		of := p.only(addr.X)
		if whole, ok := of.(*ssa.Slice); ok && whole.Low == nil && whole.High == nil {
			of = whole.X
		}
		if arr, ok := of.(*ssa.Alloc); ok {
			for _, e := range flow.Elements(arr) {
				list = append(list, e.Store.Val)
			}
		}
	}
	return list
}

// tabled are the values of a map that is written out.
func (p *Values) tabled(table ssa.Value) (list []ssa.Value) {
	made, ok := p.only(table).(*ssa.MakeMap)
	if !ok {
		return nil
	}
	for _, use := range flow.Uses(made) {
		if entry, ok := use.(*ssa.MapUpdate); ok && entry.Map == ssa.Value(made) {
			list = append(list, entry.Value)
		}
	}
	return list
}

// only is the value of a package variable that has one alone; any other value itself.
func (p *Values) only(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return v
	}
	if g, ok := load.X.(*ssa.Global); ok {
		return p.Globals[g]
	}
	return v
}

// DeclaredBody is the function of this package that is called, nil for any other.
func (p *Values) DeclaredBody(c *ssa.CallCommon, fn *types.Func) *ssa.Function {
	callee := p.Static(c)
	if callee == nil {
		return nil
	}
	if o := callee.Origin(); o != nil {
		callee = o
	}
	if callee.Pkg != p.SSA || len(callee.Blocks) == 0 {
		return nil
	}
	return callee
}

// CallBehind is the call of which v is a result.
func CallBehind(v ssa.Value) *ssa.Call {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	call, _ := v.(*ssa.Call)
	return call
}
