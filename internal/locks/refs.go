package locks

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
)

// ref is the place that v is, points to or was loaded from. An element of a map
// or slice is a place of its own.
func (s *Package) ref(v ssa.Value) Ref { return s.refs.Ask(v) }

// Place is the place that a value is, points to or was loaded from.
func (s *Package) Place(v ssa.Value) Ref { return s.ref(v) }

// makeRef is ref, asked once for each value.
func (s *Package) makeRef(v ssa.Value) Ref {
	from := s.from(v)
	if a, ok := v.(*ssa.Alloc); ok && from != nil && s.changes(a, from) {
		from = nil
	}
	if from == nil {
		return Ref{Root: v}
	}
	r := s.ref(from)
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return r.field(fieldOf(v.X.Type(), v.Field).Name())
	case *ssa.Field:
		return r.field(fieldOf(v.X.Type(), v.Field).Name())
	}
	return r
}

// from is the value of which v is a part, or which it is under another name; nil where
// it is a place of its own.
func (s *Package) from(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return v.X
	case *ssa.Field:
		return v.X
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return v.X
		}
	case *ssa.ChangeType:
		return v.X
	case *ssa.MakeInterface:
		return v.X
	case *ssa.ChangeInterface:
		return v.X
	case *ssa.FreeVar:
		return flow.Captured(v)
	case *ssa.Alloc:
		return s.singleStore(v)
	}
	return nil
}

// changes reports whether what is put into a variable derives from the variable: it
// holds another object each time.
func (s *Package) changes(a *ssa.Alloc, val ssa.Value) bool {
	return flow.Any(s.flow.Budget, func(v ssa.Value) bool { return v == ssa.Value(a) }, func(v ssa.Value) []ssa.Value {
		if from := s.from(v); from != nil {
			return []ssa.Value{from}
		}
		return nil
	}, val)
}

func fieldOf(t types.Type, i int) *types.Var {
	return known.Pointee(t).Underlying().(*types.Struct).Field(i)
}

// singleStore is the parameter or pointer that a local variable holds, nil where
// it holds several values or a struct of its own.
func (s *Package) singleStore(a *ssa.Alloc) ssa.Value {
	if _, ok := known.Pointee(a.Type()).Underlying().(*types.Pointer); !ok {
		return nil
	}
	if vals, all := s.stores(a); all && len(vals) == 1 {
		return vals[0]
	}
	return nil
}

// stores are the values that a variable gets, in literals too, and whether these
// are all: the variable's address goes nowhere else.
func (s *Package) stores(cell ssa.Value) (vals []ssa.Value, all bool) {
	all = true
	for _, cell := range flow.Reach(s.flow.Budget, flow.Captures, cell) {
		for _, ref := range flow.Uses(cell) {
			switch x := ref.(type) {
			case *ssa.Store:
				if x.Addr == cell {
					vals = append(vals, x.Val)
				} else {
					all = false
				}
			case *ssa.MakeClosure, *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.DebugRef:
			default:
				all = false
			}
		}
	}
	return vals, all
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

// tellable reports whether a caller of a function can have a name for what is in a value.
func tellable(root ssa.Value, fn *ssa.Function) bool {
	if _, ok := root.(*ssa.Parameter); ok {
		return true
	}
	return root.Parent() != fn
}

// lowered restates a place of a callee in terms of its caller; false where the
// caller has no name for it.
func (s *Package) lowered(r Ref, caller, callee *ssa.Function, args []ssa.Value) (Ref, bool) {
	switch root := r.Root.(type) {
	case *ssa.Global:
		return r, true
	case *ssa.Parameter:
		if root.Parent() != callee {
			return r, true // of a function around the literal
		}
		for i, p := range callee.Params {
			if p == root && i < len(args) {
				arg := s.ref(args[i])
				return arg.join(r.Path), !arg.repeatedIn(r.Path) || !s.recursive(caller, callee)
			}
		}
		return r, false
	}
	return r, tellable(r.Root, callee)
}

// repeatedIn reports whether the fields that lead to a place lead on from it, too: by
// calls of itself, a function could come to places without end.
func (r Ref) repeatedIn(path string) bool {
	return r.Path != "" && strings.Contains("."+path+".", "."+r.Path+".")
}

// recursive reports whether two functions lead to each other.
func (s *Package) recursive(a, b *ssa.Function) bool {
	f, g := s.effects.Of(a), s.effects.Of(b)
	return f != nil && g != nil && f.Recursive(g)
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
	for _, f := range s.effects.All() {
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
	names := func(i ssa.Instruction) bool {
		switch i := i.(type) {
		case *ssa.FieldAddr:
			return isLock(fieldOf(i.X.Type(), i.Field).Type())
		case *ssa.Field:
			return isLock(fieldOf(i.X.Type(), i.Field).Type())
		}
		return slices.ContainsFunc(flow.Operands(i), func(v ssa.Value) bool {
			g, ok := v.(*ssa.Global)
			return ok && isLock(known.Pointee(g.Type()))
		})
	}
	return slices.ContainsFunc(p.All(), func(f *effects.Func) bool {
		return slices.ContainsFunc(f.SSA.Blocks, func(b *ssa.BasicBlock) bool { return slices.ContainsFunc(b.Instrs, names) })
	})
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

// Owner is the type of the struct that a place is a field of.
func (s *Package) Owner(r Ref) types.Type {
	i := strings.LastIndexByte(r.Path, '.')
	if t := s.TypeOf(Ref{r.Root, r.Path[:max(i, 0)]}); t != nil {
		return types.Unalias(known.Pointee(t))
	}
	return nil
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
