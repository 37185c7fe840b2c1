package trunclock

import (
	"go/ast"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// dispensable lists the calls that lock the handle and release it, if nobody
// relies on the lock once the file is replaced in one step: it is waited for, so
// that it turns nobody away; nothing else happens under it; and whoever else
// locks such a file only reads it, which a whole file needs no lock for.
func (c *checker) dispensable(k *context) (calls []*ast.CallExpr, why string) {
	body := effects.BodyOf(k.cut.In)
	for _, e := range k.root.Effects {
		switch {
		case e.Kind == effects.Lock && k.own(e) && !e.Waits:
			return nil, "the lock may turn another process away"
		case (e.Kind == effects.Lock || e.Kind == effects.Unlock) && k.own(e):
			call := e.Here()
			if !within(body, call) || len(e.Via) > 0 && !c.isLockHelper(e.Via[0]) {
				return nil, "the lock is taken by a function that does more"
			}
			if !slices.Contains(calls, call) {
				calls = append(calls, call)
			}
		case changes(e) && !e.On(k.cut.Handle) && e.Foreign == "" && effects.Reaches(k.lock, e):
			return nil, "other files change under the same lock"
		case e.Kind == effects.Read && memory.SameFile(e.Path, k.cut.Path):
			return nil, "the file is also read under the lock"
		}
	}
	for _, f := range c.p.Funcs {
		if f != k.root && !slices.Contains(k.root.CalledBy, f) && c.relies(f, k) {
			return nil, f.Name() + " locks such a file for more than to read it"
		}
	}
	return calls, ""
}

// isLockHelper reports whether the function that is called does nothing but take
// locks and release them.
func (c *checker) isLockHelper(call *ast.CallExpr) bool {
	f := c.p.Callee(call)
	return f != nil && !slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
		return e.Kind != effects.Lock && e.Kind != effects.Unlock
	})
}

// changes reports whether the effect changes what some file holds.
func changes(e *effects.Effect) bool {
	switch e.Kind {
	case effects.Truncate,
		effects.Open,
		effects.CreateExclusive,
		effects.Append,
		effects.Rename,
		effects.Link,
		effects.Remove,
		effects.Replace:
		return true
	case effects.Write:
		return e.Handle != nil && e.Handle.File().Kind != pathexpr.Unknown
	}
	return false
}

// relies reports whether a function holds a lock on the file, as far as can be
// told, for anything but reading it.
func (c *checker) relies(f *effects.Func, k *context) bool {
	return slices.ContainsFunc(f.OfKind(effects.Lock), func(l *effects.Effect) bool {
		return c.ownLock(l) && mayBe(l, k.cut.Path.Path()) && !isReader(f, l)
	})
}

// ownLock reports whether the function that owns the effect says which file is
// locked: it opens it, or knows the lock.
func (c *checker) ownLock(l *effects.Effect) bool {
	if l.Handle == nil || l.Handle.File().Kind == pathexpr.Param {
		return false
	}
	if len(l.Via) == 0 {
		return true
	}
	callee := c.p.Callee(l.Via[0])
	return callee == nil || !slices.ContainsFunc(callee.OfKind(effects.Lock), func(e *effects.Effect) bool {
		return e.Pos == l.Pos && e.Handle != nil && e.Handle.File().Kind != pathexpr.Param
	})
}

// mayBe reports whether the lock can be one on the file at path. The lock of a
// library is on a file of its own, unless it is made for this one.
func mayBe(l *effects.Effect, path *pathexpr.Term) bool {
	if l.Path.Any(func(t *pathexpr.Term) bool { return t.Equal(path) }) && !l.Path.Path().Extends(path) {
		return true
	}
	if l.Foreign != "" || l.Handle.File().Kind == pathexpr.Call {
		return false
	}
	a, b := l.Path.Path().PackageKey(), path.PackageKey()
	return a == "" || b == "" || a == b
}

// isReader reports whether the function changes no file and releases the
// lock before it returns.
func isReader(f *effects.Func, l *effects.Effect) bool {
	released := false
	for _, e := range f.Effects {
		if changes(e) {
			return false
		}
		released = released || (e.Kind == effects.Close || e.Kind == effects.Unlock) && f.LockOf(e, l.Handle)
	}
	return released && !f.Outlives(l.Handle)
}
