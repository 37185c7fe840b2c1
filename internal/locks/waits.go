package locks

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A Wait is a call by which a function comes to wait for a lock between processes
// that it has itself: it never comes back.
type Wait struct {
	// Func is the function, and Pos its call.
	Func string
	Pos  token.Pos
	// Callee is the function of another package that takes the lock again.
	Callee *types.Func
	// Path is the lock file.
	Path string
}

// Waits lists the calls of functions of other packages that wait for a lock which
// the caller has.
func Waits(p *effects.Package) []Wait {
	var list []Wait
	for _, f := range p.Funcs {
		for _, l := range f.Effects {
			if callee := waitsAgain(p, f, l); callee != nil {
				list = append(list, Wait{f.Name(), l.Pos, callee, l.Path.Named("the lock")})
			}
		}
	}
	return list
}

// waitsAgain is the function of another package that waits by the effect l of f for
// a lock that f has; nil for none.
func waitsAgain(p *effects.Package, f *effects.Func, l *effects.Effect) *types.Func {
	if l.Kind != effects.Lock || l.Try || l.Foreign == "" || l.Call == nil || l.Path.Has(pathexpr.Unknown) {
		return nil
	}
	if !slices.ContainsFunc(f.Effects, func(had *effects.Effect) bool { return hasAt(f, had, l) }) {
		return nil
	}
	callee, _ := typeutil.Callee(p.Pass.TypesInfo, l.Call).(*types.Func)
	return callee
}

// hasAt reports whether the lock had may not have been let go of where l takes the
// lock of the same file. Locks of records are the process's, which does not wait for
// itself.
func hasAt(f *effects.Func, had, l *effects.Effect) bool {
	if had.Kind != effects.Lock || had.POSIXLock || had.When != effects.Inline || had.Shared && l.Shared ||
		had.At == l.At || !memory.SameFile(had.Path, l.Path) || !effects.Reaches(had, l) {
		return false
	}
	return !slices.ContainsFunc(f.Effects, func(u *effects.Effect) bool {
		return u.Kind == effects.Unlock && u.When == effects.Inline &&
			(effects.SameLock(u, had) || memory.SameFile(u.Path, had.Path)) &&
			(had.At == u.At && had.Seq < u.Seq || had.ReachesWithout(u, nil) && !had.ReachesWithout(l, u))
	})
}
