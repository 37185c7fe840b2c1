package stalesnapshot

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// placeOf is the value in which memory lies, and the fields that lead to it from
// there: "store.jobs". It is nil where the function was not given the memory.
func placeOf(f *effects.Func, m *pathexpr.Term) (of ssa.Value, path string) {
	if m.Kind == pathexpr.Field {
		of, path = placeOf(f, m.Args[0])
		return of, strings.TrimPrefix(path+"."+m.Text, ".")
	}
	fn, n := f.SSA, m.Index
	switch m.Kind {
	case pathexpr.Param:
		for ; n >= memory.Outer && fn.Parent() != nil; n -= memory.Outer {
			fn = fn.Parent()
		}
		if n < len(fn.Params) {
			return fn.Params[n], ""
		}
	case pathexpr.Global:
		if name, ok := strings.CutPrefix(m.Text, fn.Pkg.Pkg.Path()+"."); ok {
			if g, ok := fn.Pkg.Members[name].(*ssa.Global); ok {
				return g, ""
			}
		}
	}
	return nil, ""
}

// A guarded place is memory and the lock that guards it, both from the innermost
// struct that holds the lock: "jobs of Service, mu". For package variables the
// owner is the package.
type guarded struct {
	owner string
	path  string
	lock  string
}

// overlaps reports whether two places of one owner have the lock in common, and
// one is the other or a part of it.
func (g guarded) overlaps(o guarded) bool {
	return g.owner == o.owner && g.lock == o.lock && (within(g.path, o.path) || within(o.path, g.path))
}

func within(part, whole string) bool {
	return whole == "" || part == whole || strings.HasPrefix(part, whole+".")
}

// guardable reports whether a lock can stand beside what the value holds.
func guardable(root ssa.Value) bool {
	if _, ok := root.(*ssa.Global); ok {
		return true
	}
	_, ok := known.Pointee(root.Type()).Underlying().(*types.Struct)
	return ok
}

// guardedBy says what a lock guards of memory: the zero value if it stands in
// none of the structs on the way there.
func (c *checker) guardedBy(lock, memory locks.Ref) guarded {
	_, one := lock.Root.(*ssa.Global)
	_, other := memory.Root.(*ssa.Global)
	if one && other && lock.Root != memory.Root {
		return guarded{"package", memory.String(), lock.String()}
	}
	dir, name := split(lock.Path)
	if lock.Root != memory.Root || name == "" || !within(memory.Path, dir) {
		return guarded{}
	}
	owner := c.locks.TypeOf(locks.Ref{Root: lock.Root, Path: dir})
	if owner == nil {
		return guarded{}
	}
	return guarded{types.TypeString(known.Pointee(owner), nil), strings.TrimPrefix(strings.TrimPrefix(memory.Path, dir), "."), name}
}

func split(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:]
}

// alias reports whether what is read under the lock is used without it: it is no
// copy then, and not the lock's business alone.
func (c *checker) alias(s *snapshot, f *locks.Func) bool {
	if call, ok := s.read.(*ssa.Call); ok {
		return c.returnsAlias(c.p.Body(&call.Call))
	}
	v, ok := s.read.(ssa.Value)
	if !ok {
		return false
	}
	behind := func(i ssa.Instruction) bool { return f.Held(i)[s.lock].Mode == locks.Free }
	unlocked := func(v ssa.Value) bool {
		return refers(v.Type()) && slices.ContainsFunc(flow.Uses(v), func(i ssa.Instruction) bool {
			_, debug := i.(*ssa.DebugRef)
			return !debug && behind(i)
		})
	}
	return flow.Any(c.p.Flow.Budget, unlocked, func(v ssa.Value) []ssa.Value {
		var list []ssa.Value
		for _, i := range flow.Uses(v) {
			if next, ok := i.(ssa.Value); ok && isPointerLoad(i) && !behind(i) {
				list = append(list, next)
			}
		}
		return list
	}, v)
}

// returnsAlias reports whether a function of the package returns memory that it was given; fn is nil
// for any other.
func (c *checker) returnsAlias(fn *ssa.Function) bool {
	if fn == nil {
		return false
	}
	given := func(v ssa.Value) bool {
		_, made := c.locks.Place(v).Root.(ssa.Instruction)
		_, constant := v.(*ssa.Const)
		return !made && !constant && refers(v.Type()) && !memory.IsErrorType(v.Type())
	}
	var results []ssa.Value
	for ret := range flow.Returns(fn) {
		results = append(results, ret.Results...)
	}
	return flow.Any(c.p.Flow.Budget, given, valuesOf, results...)
}

// valuesOf lists what a value that is chosen or loaded from a variable may be.
func valuesOf(v ssa.Value) []ssa.Value {
	switch v := v.(type) {
	case *ssa.Phi:
		return v.Edges
	case *ssa.UnOp:
		var list []ssa.Value
		for _, st := range flow.StoresTo(v.X) {
			list = append(list, st.Val)
		}
		return list
	}
	return nil
}

// isPointerLoad reports whether an instruction leads from memory further into it.
func isPointerLoad(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.MUL
	case *ssa.Lookup, *ssa.Extract, *ssa.Phi, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field, *ssa.Index, *ssa.Slice,
		*ssa.MakeInterface, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.TypeAssert:
		return true
	}
	return false
}

// refers reports whether a value of the type shows what others change.
func refers(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice, *types.Interface, *types.Chan:
		return true
	}
	return false
}

// change is where the memory changes under its lock: in the function of the
// snapshot, else in any other that does not set the object up, where a change of what is there
// comes before a new entry.
func (c *checker) change(s *snapshot) *locks.Access {
	var best *locks.Access
	for _, acc := range c.changesOf(s) {
		switch {
		case lexicon.Phases.MatchString(memory.Outermost(acc.Func.SSA).Name()):
		case acc.Func.SSA == s.f.SSA:
			return acc
		case best == nil || element(best.Place.Root) == nil && element(acc.Place.Root) != nil:
			best = acc
		}
	}
	return best
}

// changesOf are the changes under the lock of the memory of a snapshot, or of what it leads to.
func (c *checker) changesOf(s *snapshot) []*locks.Access {
	list, ok := c.changed[s.guard]
	if ok {
		return list
	}
	for _, f := range c.locks.Funcs {
		for _, acc := range f.Accesses {
			if acc.Write && c.changedUnder(acc, s.guard) {
				list = append(list, acc)
			}
		}
	}
	c.changed[s.guard] = list
	return list
}

// changedUnder reports whether an access, which is a change, is one of the memory or of
// what it leads to, under the lock.
func (c *checker) changedUnder(acc *locks.Access, g guarded) bool {
	place := acc.Place
	if of := element(place.Root); of != nil {
		place = c.locks.Place(of)
	}
	for lock := range c.locks.Beside(place) {
		if !c.guardedBy(lock, place).overlaps(g) {
			continue
		}
		for w := range c.locks.Ways(acc, lock, nil) {
			if w.Mode() == locks.Writing {
				return true
			}
		}
	}
	return false
}

// element is the map of which a value is an element, nil for any other value.
func element(v ssa.Value) ssa.Value {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	if l, ok := v.(*ssa.Lookup); ok {
		return l.X
	}
	return nil
}

// changes reports whether the state changes between one save and the next: in the function itself or
// in one that calls it, or where it says by its name that others call it to save.
func (c *checker) changes(s *snapshot, k *verdict.Candidate) bool {
	change := c.change(s)
	return change != nil && (c.reaches(s) || lexicon.Changes.MatchString(s.f.SSA.Name())) &&
		k.Says(changed, change.Pos, "the state changes here")
}

// reaches reports whether the function of a snapshot, what it calls or one that leads to it changes the
// memory.
func (c *checker) reaches(s *snapshot) bool {
	callers := func(fn *ssa.Function) []*ssa.Function {
		var list []*ssa.Function
		for _, site := range c.p.Callers().Sites(fn) {
			list = append(list, site.Parent())
		}
		return list
	}
	return flow.Any(c.p.Flow.Budget, func(fn *ssa.Function) bool {
		f := c.p.Of(fn)
		return f != nil && slices.ContainsFunc(c.changesOf(s), func(acc *locks.Access) bool {
			return slices.Contains(c.p.Below(f), c.p.Of(acc.Func.SSA))
		})
	}, callers, s.f.SSA)
}
