package locks

import (
	"cmp"
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

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
func (s *Package) lowered(r Ref, c *Call) (Ref, bool) {
	switch root := r.Root.(type) {
	case *ssa.Global:
		return r, true
	case *ssa.Parameter:
		if root.Parent() != c.callee {
			return r, true // of a function around the literal
		}
		for i, p := range c.callee.Params {
			if p == root && i < len(c.args) {
				arg := s.ref(c.args[i])
				return arg.join(r.Path), !arg.repeatedIn(r.Path) || !s.recursive(c.Caller.SSA, c.callee)
			}
		}
		return r, false
	}
	return r, tellable(r.Root, c.callee)
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

// Beside are the locks that can guard a place: those in the structs on the way to it, and for a
// package variable those of the package. What a variable points to may be somebody else's.
func (s *Package) Beside(r Ref) iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		if g, ok := r.Root.(*ssa.Global); ok {
			held := known.Pointee(g.Type())
			if _, ok := held.Underlying().(*types.Struct); (ok || r.Path == "") && !known.IsLock(held) {
				for _, l := range s.globals {
					if !yield(Ref{Root: l}) {
						return
					}
				}
			}
		}
		if r.Path == "" {
			return
		}
		for _, path := range s.besidePath(typedPath{objectOf(r.Root), r.Path}) {
			if !yield(Ref{r.Root, path}) {
				return
			}
		}
	}
}

// guardable reports whether a lock stands beside a place.
func (s *Package) guardable(r Ref) bool {
	for range s.Beside(r) {
		return true
	}
	return false
}

// objectOf is the type of an object, or of the pointer to it: of what an element of a
// list points to, where the value is the place of the element.
func objectOf(v ssa.Value) types.Type {
	t := v.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		if _, ok := p.Elem().Underlying().(*types.Pointer); ok {
			return p.Elem()
		}
	}
	return t
}

// besidePath are the paths of the locks in the structs on the way to a place.
func (s *Package) besidePath(at typedPath) []string {
	list, ok := s.beside[at]
	if ok {
		return list
	}
	t, before, rest := at.typ, "", at.path
	for rest != "" {
		name, behind, _ := strings.Cut(rest, ".")
		v, locks := fieldNamed(t, name), s.LockFields(t)
		if v == nil || slices.Contains(locks, v) {
			break
		}
		for _, l := range locks {
			list = append(list, before+l.Name())
		}
		t, before, rest = v.Type(), at.path[:len(at.path)-len(behind)], behind
	}
	s.beside[at] = list
	return list
}

func fieldNamed(t types.Type, name string) *types.Var {
	st, ok := known.Pointee(t).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for v := range st.Fields() {
		if v.Name() == name {
			return v
		}
	}
	return nil
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

// indexGlobals finds the variables of the package that are locks.
func (s *Package) indexGlobals() {
	all := s.effects.All()
	if len(all) == 0 || all[0].SSA.Pkg == nil {
		return
	}
	for _, m := range all[0].SSA.Pkg.Members {
		if g, ok := m.(*ssa.Global); ok && known.IsLock(known.Pointee(g.Type())) {
			s.globals = append(s.globals, g)
		}
	}
	slices.SortFunc(s.globals, func(a, b *ssa.Global) int { return cmp.Compare(a.Pos(), b.Pos()) })
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
	t := objectOf(r.Root)
	if r.Path == "" {
		return t
	}
	for name := range strings.SplitSeq(r.Path, ".") {
		v := fieldNamed(t, name)
		if v == nil {
			return nil
		}
		t = v.Type()
	}
	return t
}
