package gate

import (
	"go/types"
	"slices"

	"github.com/lockvet/lockvet/internal/known"
)

// HasMutex reports whether a package has a struct type with a mutex, or a variable that is one.
func HasMutex(pkg *types.Package) bool {
	return slices.ContainsFunc(pkg.Scope().Names(), func(name string) bool {
		switch obj := pkg.Scope().Lookup(name).(type) {
		case *types.Var:
			return known.IsMutex(obj.Type())
		case *types.TypeName:
			return !obj.IsAlias() && slices.ContainsFunc(known.LockFields(obj.Type()), func(v *types.Var) bool { return known.IsMutex(v.Type()) })
		}
		return false
	})
}

// chooseLocked keeps the functions that name a mutex. Where several name that of a type, it keeps
// all that touch an object of the type, and, for who is called with the lock, the callers. What
// these call besides need not be seen.
func (s *Slice) chooseLocked() {
	named := map[types.Object]int{} // by how many functions; the variables of the package are nil
	for _, u := range s.units {
		owners := s.mutexesOf(u)
		u.alone = len(owners) > 0
		for _, owner := range owners {
			named[owner]++
		}
	}
	var keep func(u *unit)
	keep = func(u *unit) {
		if u.entered || u.fn == nil || u.test {
			return
		}
		u.alone, u.entered = true, true
		if !u.fn.Name.IsExported() {
			for _, c := range u.callers {
				keep(c)
			}
		}
	}
	shared := func(o types.Object) bool {
		if _, ok := o.(*types.Var); ok {
			o = nil
		}
		return named[o] > 1
	}
	for _, u := range s.units {
		if slices.ContainsFunc(s.touched(u), shared) {
			keep(u)
		}
	}
}

// mutexesOf are the types whose mutex a function names, by its field or, where it is embedded, by its
// methods; nil for a mutex that is a variable of the package.
func (s *Slice) mutexesOf(u *unit) []types.Object {
	var list []types.Object
	add := func(o types.Object) {
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	if u.fn == nil || u.test {
		return nil
	}
	for _, obj := range u.names {
		v, ok := obj.(*types.Var)
		switch {
		case !ok || !known.IsMutex(v.Type()):
		case s.guarded[v] != nil:
			add(s.guarded[v])
		case PackageLevel(v):
			add(nil)
		}
	}
	if slices.ContainsFunc(u.foreign, func(o types.Object) bool { return known.Path(o) == "sync" && releasing[o.Name()] != "" }) {
		for _, owner := range append(s.touched(u), s.receiver(u)) {
			embeds := func(v *types.Var) bool { return v.Embedded() && known.IsMutex(v.Type()) }
			if _, isType := owner.(*types.TypeName); isType && slices.ContainsFunc(known.LockFields(owner.Type()), embeds) {
				add(owner)
			}
		}
	}
	return list
}
