package trunclock

import (
	"go/ast"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// remedy is the end state for a file that is emptied too early, or why there is none.
func (c *checker) remedy(k *context) (finding.Remedy, string) {
	publish := finding.PublishHandle{Body: effects.BodyOf(k.cut.In), Open: k.cut.Call}
	pinned, _ := c.x.Pinned(k.cut)
	switch {
	case publish.Body == nil || !k.cut.ReturnsHandle || k.cut.ByHelper() || len(k.cut.Via) > 0:
		return nil, "the function does not open the file itself"
	case pinned != "":
		return nil, "it is mounted in containers, and may not be replaced: open it without O_TRUNC, and empty it by " +
			"Truncate once it is locked"
	case k.sidecar:
		return publish, ""
	case k.root.Outlives(k.cut.Handle):
		return nil, "it stays locked, and may not be replaced: open it without O_TRUNC, and empty it by Truncate once it " +
			"is locked"
	case k.writtenAfter(k.lock) == nil:
		return nil, "nothing is written through it: open it without O_TRUNC, as it is"
	}
	locks, why := c.dispensable(k)
	if why != "" {
		return nil, why
	}
	publish.Locks = locks
	return publish, ""
}

// dispensable lists the calls that lock the handle and release it, if nobody
// relies on the lock once the file is replaced in one step: it is waited for, so
// that it turns nobody away; nothing else happens under it; and whoever else
// locks such a file only reads it, which a whole file needs no lock for.
func (c *checker) dispensable(k *context) (calls []*ast.CallExpr, why string) {
	for _, e := range k.root.Effects {
		lock := e.Kind == effects.Lock
		switch {
		case lock && k.own(e) && !e.Waits:
			return nil, "the lock may turn another process away"
		case (lock || e.Kind == effects.Unlock) && k.own(e):
			if len(e.Via) > 0 || e.Call == nil {
				return nil, "the lock is taken or released by another function"
			}
			if !slices.Contains(calls, e.Call) {
				calls = append(calls, e.Call)
			}
		case e.Kind == effects.Write && k.reaches(e.Handle) && effects.Reaches(e, k.lock):
			return nil, "the file is written before it is locked"
		case changes(e) && !e.On(k.cut.Handle) && effects.Reaches(k.lock, e):
			return nil, "other files change under the same lock"
		case e.Kind == effects.Read && memory.SameFile(e.Path, k.cut.Path):
			return nil, "the file is also read under the lock"
		}
	}
	for _, f := range c.p.Funcs {
		for _, l := range f.OfKind(effects.Lock) {
			if f != k.root && k.mayBe(l) && !reads(f, l) {
				return nil, f.Name() + " locks such a file for more than to read it"
			}
		}
	}
	return calls, ""
}

// mayBe reports whether a lock can be one on the file, and the function that has it among its
// effects is the one that knows the file. That of another package is on a file of its own, unless
// it is known to be on this one.
func (k *context) mayBe(l *effects.Effect) bool {
	given := func(e *effects.Effect) bool { return e.Handle == nil || e.Handle.File().Kind == pathexpr.Param }
	if given(l) || l.CalleeEffect != nil && !given(l.CalleeEffect) {
		return false
	}
	a, b := l.Path.Path().PackageKey(), k.cut.Path.Path().PackageKey()
	return a == b || l.Foreign == "" && (a == "" || b == "")
}

// changes reports whether the effect changes what some file holds.
func changes(e *effects.Effect) bool {
	switch e.Kind {
	case effects.Truncate, effects.Open, effects.CreateExclusive, effects.Append,
		effects.Rename, effects.Link, effects.Remove, effects.Replace:
		return true
	case effects.Write:
		return e.Handle != nil && e.Handle.File().Kind != pathexpr.Unknown
	}
	return false
}

// reads reports whether a function that takes a lock changes no file, and releases the
// lock before it returns.
func reads(f *effects.Func, l *effects.Effect) bool {
	if l.Handle == nil || f.Outlives(l.Handle) || slices.ContainsFunc(f.Effects, changes) {
		return false
	}
	releases := func(e *effects.Effect) bool { return f.LockOf(e, l.Handle) }
	return slices.ContainsFunc(f.OfKind(effects.Close, effects.Unlock), releases)
}
