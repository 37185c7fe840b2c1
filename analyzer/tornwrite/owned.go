package tornwrite

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
)

// behindInterface reports whether fn is the method of a type for which an
// interface of the package, with that method, stands in.
func behindInterface(p *failure.Package, fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	if recv == nil {
		return false
	}
	scope := p.Pass.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !types.IsInterface(tn.Type()) {
			continue
		}
		iface := tn.Type().Underlying().(*types.Interface)
		has := slices.ContainsFunc(slices.Collect(iface.Methods()), func(m *types.Func) bool { return m.Name() == fn.Name() })
		if has && types.Implements(recv.Type(), iface) {
			return true
		}
	}
	return false
}

// byOwner reports whether the effect e of f comes about in a method of an object
// that has a lock between processes as long as there is one: whoever makes such an
// object takes the lock, and a field keeps it.
func byOwner(p *failure.Package, f *effects.Func, e *effects.Effect) bool {
	return owns(p, f.SSA) || owns(p, e.In) || slices.ContainsFunc(e.Via, func(call *ast.CallExpr) bool {
		callee := p.Callee(call)
		return callee != nil && owns(p, callee.SSA)
	})
}

// owns reports whether fn is, or stands in, a method of such an object.
func owns(p *failure.Package, fn *ssa.Function) bool {
	recv := memory.Outermost(fn).Signature.Recv()
	if recv == nil {
		return false
	}
	named, ok := types.Unalias(known.Pointee(recv.Type())).(*types.Named)
	if !ok {
		return false
	}
	type key struct{}
	owners := p.Derived(key{}, func() any { return indexOwners(p) }).(map[*types.TypeName]bool)
	return owners[named.Obj()]
}

// indexOwners finds the types of the package whose objects have a lock between
// processes: a field gets nothing but such a lock, in the functions that make the
// objects, or that alone call those.
func indexOwners(p *failure.Package) map[*types.TypeName]bool {
	owners := map[*types.TypeName]bool{}
	puts := map[*types.Var][]*ssa.Store{}
	owner := map[*types.Var]*types.TypeName{}
	for _, fn := range p.SourceFuncs() {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				st, ok := i.(*ssa.Store)
				if !ok || memory.IsNil(st.Val) {
					continue
				}
				if v, tn := ownField(p, st.Addr); v != nil {
					puts[v], owner[v] = append(puts[v], st), tn
				}
			}
		}
	}
	for v, sts := range puts {
		if !slices.ContainsFunc(sts, func(st *ssa.Store) bool { return !takenLock(p, st) }) && madeBy(p, owner[v], sts) {
			owners[owner[v]] = true
		}
	}
	return owners
}

// ownField is the field of a type of the package that an address is, with the
// type; nil for any other address.
func ownField(p *failure.Package, addr ssa.Value) (*types.Var, *types.TypeName) {
	fa, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return nil, nil
	}
	named, ok := types.Unalias(known.Pointee(fa.X.Type())).(*types.Named)
	if !ok || named.Obj().Pkg() != p.Pass.Pkg {
		return nil, nil
	}
	return memory.StructOf(named).Field(fa.Field).Origin(), named.Obj()
}

// takenLock reports whether what is stored is a lock between processes that has
// been taken, for one process alone: the function has taken it, or got it from a
// call that takes it.
func takenLock(p *failure.Package, st *ssa.Store) bool {
	f := p.Of(st.Parent())
	val := st.Val
	if x, ok := val.(*ssa.ChangeInterface); ok {
		val = x.X
	}
	if x, ok := val.(*ssa.MakeInterface); ok {
		val = x.X
	}
	if f == nil {
		return false
	}
	call := memory.CallBehind(val)
	if call != nil {
		if fn := p.CalleeOf(&call.Call); fn != nil && known.ReturnsLock(fn) {
			return true
		}
	}
	return slices.ContainsFunc(f.OfKind(effects.Lock), func(l *effects.Effect) bool {
		if l.Shared || l.When != effects.Inline {
			return false
		}
		return call != nil && l.At == call && !l.Try || l.On(p.Term(val)) && effects.Took(l, f.New(effects.StoreHandle, nil, st))
	})
}

// madeBy reports whether objects of a type are made only by the functions of such
// stores, and by functions that nobody but these use.
func madeBy(p *failure.Package, tn *types.TypeName, sts []*ssa.Store) bool {
	puts := func(fn types.Object) bool {
		return fn != nil && slices.ContainsFunc(sts, func(st *ssa.Store) bool { return memory.Outermost(st.Parent()).Object() == fn })
	}
	type key struct{}
	in := p.Derived(key{}, func() any { return indexMakers(p) }).(*making)
	makers, only := maps.Clone(in.makers[tn]), true
	for fn := range makers {
		only = only && (puts(fn) || fn != nil && !fn.Exported())
	}
	if !only {
		return false
	}
	maps.DeleteFunc(makers, func(fn types.Object, _ bool) bool { return puts(fn) })
	if len(makers) == 0 {
		return true
	}
	for maker := range makers {
		for fn := range in.users[maker] {
			only = only && puts(fn)
		}
	}
	return only
}

// A making is which functions make objects of which types, and which functions name which;
// nil stands for the package itself.
type making struct {
	makers map[*types.TypeName]map[types.Object]bool
	users  map[types.Object]map[types.Object]bool
}

func indexMakers(p *failure.Package) *making {
	in := &making{map[*types.TypeName]map[types.Object]bool{}, map[types.Object]map[types.Object]bool{}}
	eachNode(p, func(fn types.Object, n ast.Node) {
		switch n := n.(type) {
		case *ast.Ident:
			if used, ok := p.Pass.TypesInfo.Uses[n].(*types.Func); ok && used.Pkg() == p.Pass.Pkg {
				if in.users[used] == nil {
					in.users[used] = map[types.Object]bool{}
				}
				in.users[used][fn] = true
			}
		case ast.Expr:
			if tn := makes(p.Pass.TypesInfo, n); tn != nil {
				if in.makers[tn] == nil {
					in.makers[tn] = map[types.Object]bool{}
				}
				in.makers[tn][fn] = true
			}
		}
	})
	return in
}

// makes is the type of which an expression makes an object, nil where it makes none.
func makes(info *types.Info, e ast.Expr) *types.TypeName {
	switch e := e.(type) {
	case *ast.CompositeLit:
	case *ast.CallExpr:
		if b, ok := info.Uses[calledName(e)].(*types.Builtin); !ok || b.Name() != "new" {
			return nil
		}
	default:
		return nil
	}
	if named, ok := types.Unalias(known.Pointee(info.TypeOf(e))).(*types.Named); ok {
		return named.Obj()
	}
	return nil
}

// calledName is the name that a call consists of, nil for any other call.
func calledName(call *ast.CallExpr) *ast.Ident {
	id, _ := ast.Unparen(call.Fun).(*ast.Ident)
	return id
}

// eachNode visits the source outside of tests, with the function that each node
// stands in; nil for the package itself. What is assigned to nothing there only
// says of a type what it implements.
func eachNode(p *failure.Package, visit func(fn types.Object, n ast.Node)) {
	for _, file := range p.Pass.Files {
		if memory.InTestFile(p.Fset, file.Pos()) {
			continue
		}
		for _, d := range file.Decls {
			var fn types.Object
			if fd, ok := d.(*ast.FuncDecl); ok {
				fn = p.Pass.TypesInfo.Defs[fd.Name]
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if spec, ok := n.(*ast.ValueSpec); ok && fn == nil && spec.Names[0].Name == "_" {
					return false
				}
				if n != nil {
					visit(fn, n)
				}
				return true
			})
		}
	}
}
