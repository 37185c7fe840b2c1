package effects

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"

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
func (p *Package) Waits() []Wait {
	var list []Wait
	for _, f := range p.Funcs {
		for _, l := range f.Effects {
			if callee := p.waitsAgain(f, l); callee != nil {
				list = append(list, Wait{f.Name(), l.Pos, callee, l.Path.Named("the lock")})
			}
		}
	}
	return list
}

// waitsAgain is the function of another package that waits by the effect l of f for
// a lock that f has; nil for none.
func (p *Package) waitsAgain(f *Func, l *Effect) *types.Func {
	if l.Kind != Lock || l.Try || l.Foreign == "" || l.Call == nil || l.Path.Has(pathexpr.Unknown) {
		return nil
	}
	if !slices.ContainsFunc(f.Effects, func(had *Effect) bool { return f.hasAt(had, l) }) {
		return nil
	}
	callee, _ := typeutil.Callee(p.Pass.TypesInfo, l.Call).(*types.Func)
	return callee
}

// hasAt reports whether the lock had may not have been let go of where l takes the
// lock of the same file. Locks of records are the process's, which does not wait for
// itself.
func (f *Func) hasAt(had, l *Effect) bool {
	if had.Kind != Lock || had.Record || had.When != Inline || had.Shared && l.Shared || had.At == l.At || !memory.SameFile(had.Path, l.Path) || !Reaches(had, l) {
		return false
	}
	return !slices.ContainsFunc(f.Effects, func(u *Effect) bool {
		return u.Kind == Unlock && u.When == Inline && (SameLock(u, had) || memory.SameFile(u.Path, had.Path)) &&
			(had.At == u.At && had.seq < u.seq || had.leadsTo(u, nil) && !had.leadsTo(l, u))
	})
}
