package effects

import (
	"slices"

	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Reaches reports whether b can happen after a in one run of the function:
// control leads from a to b, or b is deferred and a is not.
func Reaches(a, b *Effect) bool {
	switch {
	case a == b || a.When == Spawned || b.When == Spawned || a.At == nil || b.At == nil:
		return false
	case a.When == Deferred && b.When == Deferred:
		return a.At == b.At && a.Seq < b.Seq || a.At != b.At && a.flow.Reaches(b.At, a.At)
	case a.When == Deferred:
		return false
	case b.When == Deferred:
		return true
	case a.At == b.At && a.Seq < b.Seq:
		return true
	}
	return a.flow.Reaches(a.At, b.At)
}

// Follows reports whether b comes after a whenever both are met: a happens
// before b, or b is deferred and a is not, or both are deferred and a is
// deferred later.
func Follows(a, b *Effect) bool {
	if a.When == Deferred && b.When == Deferred {
		return Reaches(a, b) && !Reaches(b, a)
	}
	return a.When == Inline && (b.When == Deferred || Before(a, b))
}

// CallersAmong are the functions of a set that call f, or are around it, and to which f does not lead back.
func (f *Func) CallersAmong(set map[*Func]bool) []*Func {
	f.flow.Spend(1 + len(f.CalledBy))
	var list []*Func
	for _, g := range f.CalledBy {
		if set[g] && !g.Recursive(f) {
			list = append(list, g)
		}
	}
	return list
}

// Recursive reports whether two functions lead to each other, or are the same.
func (f *Func) Recursive(g *Func) bool { return f.Component == g.Component }

// LockOf reports whether l takes or lets go of a lock on the file behind h: on
// the handle, or on the field that keeps it.
func (f *Func) LockOf(l *Effect, h *pathexpr.Term) bool {
	return l.On(h) || slices.ContainsFunc(f.OnHandle(h, StoreHandle), func(k *Effect) bool {
		return memory.SameFile(k.Target, l.Handle)
	})
}

// Beside reports whether the lock l is made for the file at path: its own path
// contains that one, or both stand in one directory.
func Beside(l *Effect, path *pathexpr.Term) bool {
	if l.Path == nil || path == nil {
		return false
	}
	path = path.Path()
	if l.Path.Any(func(t *pathexpr.Term) bool { return t.Equal(path) || t.Extends(path) }) {
		return true
	}
	dir := path.Dir()
	return dir != nil && l.Path.Any(func(t *pathexpr.Term) bool { return t.Dir() != nil && t.Dir().Equal(dir) })
}

// Outlives reports whether the handle is still in use when the function has
// returned: it is returned or kept in a field.
func (f *Func) Outlives(h *pathexpr.Term) bool {
	return slices.ContainsFunc(f.OnHandle(h, StoreHandle, Escape), func(e *Effect) bool { return e.Kind == StoreHandle || e.Call == nil })
}
