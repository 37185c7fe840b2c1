package live

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"

	"github.com/lockvet/lockvet/internal/known"
)

// interfaces collects the names of the exported methods of interfaces.
type interfaces struct {
	methods map[string]bool
	seen    map[types.Type]bool
}

func (i *interfaces) add(name string) {
	if token.IsExported(name) {
		i.methods[name] = true
	}
}

// in adds those of the interfaces that a type is made of: a value becomes one only where
// something of such a type is mentioned. It looks at each type once: the constraint of a type
// parameter can have that as an argument.
func (i *interfaces) in(t types.Type) {
	if t == nil || i.seen[t] {
		return
	}
	i.seen[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if types.IsInterface(t) {
			i.in(t.Underlying())
		}
		for arg := range t.TypeArgs().Types() {
			i.in(arg)
		}
	case *types.Interface:
		for m := range t.Methods() {
			i.add(m.Name())
		}
	case *types.TypeParam:
		i.in(t.Constraint())
	case *types.Pointer:
		i.in(t.Elem())
	case *types.Slice:
		i.in(t.Elem())
	case *types.Array:
		i.in(t.Elem())
	case *types.Chan:
		i.in(t.Elem())
	case *types.Map:
		i.in(t.Key())
		i.in(t.Elem())
	case *types.Signature:
		i.in(t.Params())
		i.in(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			i.in(v.Type())
		}
	}
}

// boxed are the expressions of a node that become values of an interface without methods, of
// which nobody can say what calls them: but for what only prints or encodes.
func boxed(info *types.Info, n ast.Node) iter.Seq[ast.Expr] {
	return func(yield func(ast.Expr) bool) {
		switch n := n.(type) {
		case *ast.CallExpr:
			sig, ok := types.Unalias(info.TypeOf(n.Fun)).(*types.Signature)
			if !ok || prints(info, n.Fun) {
				return
			}
			for i, arg := range n.Args {
				if isAny(param(sig, i, n.Ellipsis.IsValid())) && !yield(arg) {
					return
				}
			}
		case *ast.CompositeLit:
			var elem types.Type
			t := info.TypeOf(n)
			if t == nil {
				return
			}
			switch t := t.Underlying().(type) {
			case *types.Slice:
				elem = t.Elem()
			case *types.Array:
				elem = t.Elem()
			case *types.Map:
				elem = t.Elem()
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					e = kv.Value
				}
				if isAny(elem) && !yield(e) {
					return
				}
			}
		}
	}
}

// param is the type of the i-th argument of a call.
func param(sig *types.Signature, i int, ellipsis bool) types.Type {
	last := sig.Params().Len() - 1
	if last < 0 || i < last || !sig.Variadic() && i > last {
		if i > last {
			return nil
		}
		return sig.Params().At(i).Type()
	}
	t := sig.Params().At(last).Type()
	if s, ok := t.(*types.Slice); ok && sig.Variadic() && !ellipsis {
		return s.Elem()
	}
	return t
}

func isAny(t types.Type) bool {
	if t == nil {
		return false
	}
	i, ok := types.Unalias(t).Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0 && i.NumEmbeddeds() == 0
}

// prints reports whether a call is one of a function of a package that only prints or encodes.
func prints(info *types.Info, fun ast.Expr) bool {
	sel, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	obj := info.Uses[sel.Sel]
	return obj != nil && obj.Pkg() != nil && known.Prints(obj.Pkg().Path())
}

// typeName is the name of a type, or of that which it points to; nil for none.
func typeName(t types.Type) types.Object {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj()
	}
	return nil
}
