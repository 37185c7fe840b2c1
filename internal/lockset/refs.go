package lockset

import (
	"cmp"
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/known"
)

// maxPath bounds the steps from a value to the place that it comes from.
const maxPath = 12

// ref is the place that v is, points to or was loaded from. An element of a map
// or slice is a place of its own.
func (s *Package) ref(v ssa.Value) Ref {
	r, ok := s.refs[v]
	if !ok {
		r = refDepth(v, maxPath)
		s.refs[v] = r
	}
	return r
}

// Place is the place that a value is, points to or was loaded from.
func (s *Package) Place(v ssa.Value) Ref { return s.ref(v) }

func refDepth(v ssa.Value, depth int) Ref {
	if depth == 0 {
		return Ref{Root: v}
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return refDepth(v.X, depth-1).field(fieldOf(v.X.Type(), v.Field).Name())
	case *ssa.Field:
		return refDepth(v.X, depth-1).field(fieldOf(v.X.Type(), v.Field).Name())
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return refDepth(v.X, depth-1)
		}
	case *ssa.ChangeType:
		return refDepth(v.X, depth-1)
	case *ssa.MakeInterface:
		return refDepth(v.X, depth-1)
	case *ssa.ChangeInterface:
		return refDepth(v.X, depth-1)
	case *ssa.FreeVar:
		if b := binding(v); b != nil {
			return refDepth(b, depth-1)
		}
	case *ssa.Alloc:
		if val := onlyStore(v); val != nil {
			return refDepth(val, depth-1)
		}
	}
	return Ref{Root: v}
}

func fieldOf(t types.Type, i int) *types.Var {
	return known.Pointee(t).Underlying().(*types.Struct).Field(i)
}

// binding is what the function around a literal binds to a captured variable.
func binding(v *ssa.FreeVar) ssa.Value {
	fn := v.Parent()
	if fn.Parent() == nil {
		return nil
	}
	for i, fv := range fn.FreeVars {
		if fv != v {
			continue
		}
		for _, ref := range *fn.Referrers() {
			if mc, ok := ref.(*ssa.MakeClosure); ok {
				return mc.Bindings[i]
			}
		}
	}
	return nil
}

// onlyStore is the parameter or pointer that a local variable holds, nil where
// it holds several values or a struct of its own.
func onlyStore(a *ssa.Alloc) ssa.Value {
	if _, ok := known.Pointee(a.Type()).Underlying().(*types.Pointer); !ok {
		return nil
	}
	if vals, all := stores(a); all && len(vals) == 1 {
		return vals[0]
	}
	return nil
}

// stores are the values that a variable gets, in literals too, and whether these
// are all: the variable's address goes nowhere else.
func stores(cell ssa.Value) (vals []ssa.Value, all bool) {
	all = true
	for _, ref := range *cell.Referrers() {
		switch x := ref.(type) {
		case *ssa.Store:
			if x.Addr != cell {
				return vals, false
			}
			vals = append(vals, x.Val)
		case *ssa.MakeClosure:
			lit := x.Fn.(*ssa.Function)
			for i, b := range x.Bindings {
				if b != cell {
					continue
				}
				inside, ok := stores(lit.FreeVars[i])
				vals, all = append(vals, inside...), all && ok
			}
		case *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.DebugRef:
		default:
			all = false
		}
	}
	return vals, all
}

// fresh reports whether a place is in an object that this function made: nobody
// else can know it yet.
func fresh(root ssa.Value) bool {
	for v := range Origins(root) {
		switch v := v.(type) {
		case *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
		case *ssa.Alloc:
			if _, ok := known.Pointee(v.Type()).Underlying().(*types.Pointer); ok {
				return false // a variable that points to several objects is none
			}
		default:
			return false
		}
	}
	return true
}

// Origins yields the values that a value can be: of one that depends on the way,
// those of all ways.
func Origins(v ssa.Value) iter.Seq[ssa.Value] {
	return func(yield func(ssa.Value) bool) {
		seen := map[ssa.Value]bool{v: true}
		for work := []ssa.Value{v}; len(work) > 0; work = work[1:] {
			phi, ok := work[0].(*ssa.Phi)
			if !ok {
				if !yield(work[0]) {
					return
				}
				continue
			}
			for _, e := range phi.Edges {
				if !seen[e] {
					seen[e] = true
					work = append(work, e)
				}
			}
		}
	}
}

// oneOf reports whether r is a place in one of several objects, and o is the place
// in one of these.
func (s *Package) oneOf(r, o Ref) bool {
	phi, ok := r.Root.(*ssa.Phi)
	if !ok {
		return false
	}
	objects, ok := s.several[phi]
	if !ok {
		objects = map[Ref]bool{}
		for v := range Origins(phi) {
			objects[s.ref(v)] = true
		}
		s.several[phi] = objects
	}
	if r.Path == "" {
		return objects[o]
	}
	base, ok := strings.CutSuffix("."+o.Path, "."+r.Path)
	return ok && objects[Ref{o.Root, strings.TrimPrefix(base, ".")}]
}

// named reports whether a value is an object that the source names: two such are
// taken for two objects.
func named(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global, *ssa.Alloc:
		return true
	}
	return false
}

// lowered restates a place of a callee in terms of its caller; false where the
// caller has no name for it.
func (s *Package) lowered(r Ref, callee *ssa.Function, args []ssa.Value) (Ref, bool) {
	switch root := r.Root.(type) {
	case *ssa.Global:
		return r, true
	case *ssa.Parameter:
		if root.Parent() != callee {
			return r, true // of a function around the literal
		}
		for i, p := range callee.Params {
			if p == root && i < len(args) {
				return s.ref(args[i]).join(r.Path), true
			}
		}
		return r, false
	}
	return r, r.Root.Parent() != callee
}

// beside reports whether a lock stands beside the place: in one of the structs
// on the way to it, or beside a package variable. Who only reads another place,
// or is called by who changes it, tells nothing.
func (s *Package) beside(r Ref) bool {
	if _, ok := r.Root.(*ssa.Global); ok {
		return true
	}
	key := typedPath{r.Root.Type(), r.Path}
	is, ok := s.locked[key]
	if !ok {
		is = s.lockOnTheWay(key)
		s.locked[key] = is
	}
	return is
}

// LockFields lists the fields of a struct type that are locks.
func (s *Package) LockFields(t types.Type) []*types.Var {
	list, ok := s.fields[t]
	if !ok {
		list = known.LockFields(t)
		s.fields[t] = list
	}
	return list
}

// Globals lists the variables of the package that are locks.
func (s *Package) Globals() []*ssa.Global {
	var list []*ssa.Global
	for _, f := range s.effects.Funcs {
		if f.SSA.Pkg == nil {
			continue
		}
		for _, m := range f.SSA.Pkg.Members {
			if g, ok := m.(*ssa.Global); ok && known.IsLock(known.Pointee(g.Type())) {
				list = append(list, g)
			}
		}
		break
	}
	slices.SortFunc(list, func(a, b *ssa.Global) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return list
}

// Named reports whether a function of the package names a field or variable that
// is a lock. Where none does, nothing is known of any lock beside others.
func Named(p *effects.Package) bool {
	locks := map[types.Type]bool{}
	isLock := func(t types.Type) bool {
		is, ok := locks[t]
		if !ok {
			is = known.IsLock(t)
			locks[t] = is
		}
		return is
	}
	var operands []*ssa.Value
	names := func(i ssa.Instruction) bool {
		switch i := i.(type) {
		case *ssa.FieldAddr:
			return isLock(fieldOf(i.X.Type(), i.Field).Type())
		case *ssa.Field:
			return isLock(fieldOf(i.X.Type(), i.Field).Type())
		}
		operands = i.Operands(operands[:0])
		return slices.ContainsFunc(operands, func(v *ssa.Value) bool {
			g, ok := (*v).(*ssa.Global)
			return ok && isLock(known.Pointee(g.Type()))
		})
	}
	return slices.ContainsFunc(p.Funcs, func(f *effects.Func) bool {
		return slices.ContainsFunc(f.SSA.Blocks, func(b *ssa.BasicBlock) bool { return slices.ContainsFunc(b.Instrs, names) })
	})
}

// A typedPath is the path of a place from a value of a type.
type typedPath struct {
	typ  types.Type
	path string
}

func (s *Package) lockOnTheWay(p typedPath) bool {
	t := p.typ
	for name := range strings.SplitSeq(p.path, ".") {
		st, ok := known.Pointee(t).Underlying().(*types.Struct)
		if !ok {
			return false
		}
		if len(s.LockFields(t)) > 0 {
			return true
		}
		for v := range st.Fields() {
			if v.Name() == name {
				t = v.Type()
			}
		}
	}
	return false
}

// TypeOf is the type of a place, nil where a field on the way is not known.
func (s *Package) TypeOf(r Ref) types.Type {
	t := r.Root.Type()
	if r.Path == "" {
		return t
	}
	for name := range strings.SplitSeq(r.Path, ".") {
		st, ok := known.Pointee(t).Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		t = nil
		for v := range st.Fields() {
			if v.Name() == name {
				t = v.Type()
			}
		}
		if t == nil {
			return nil
		}
	}
	return t
}
