package racycreate

import (
	_ "embed"
	"go/ast"
	"go/token"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// Doc is the source of doc.go, the only text of the check's documentation.
//
//go:embed doc.go
var Doc string

// Name is the name of the check.
const Name = "racycreate"

// A site is the place where looking for a file and making it come together, or
// where a stale one is taken away to be made again. It is seen from the function
// that has both and from all that call it.
type site struct {
	finding   *finding.Finding   // nil where nothing speaks for a race
	candidate *verdict.Candidate // of the finding
	of        subject
	contexts  []context
}

// A subject is a file of a function: who looks for it and makes it, and takes a stale one away, is
// reported once.
type subject struct {
	in   *effects.Func
	path string
}

// A context is a function that leads to a site.
type context struct {
	f      *effects.Func
	locked bool // it holds a lock between processes there
}

// Root implements [state.Context].
func (k context) Root() *effects.Func { return k.f }

type checker struct {
	p     *failure.Package
	x     *state.Index
	order []token.Pos
	sites map[token.Pos]*site
}

// Run reports files that two processes of the package's program can both make.
func Run(p *effects.Package, x *state.Index) []*finding.Finding {
	c := &checker{p: failure.Of(p), x: x, sites: map[token.Pos]*site{}}
	for _, f := range p.Funcs {
		for _, e := range f.Effects {
			if c.makes(f, e) {
				c.visit(f, e)
			}
		}
	}
	for _, f := range p.Funcs {
		for _, e := range f.OfKind(effects.Remove) {
			c.takeover(f, e)
		}
	}
	var out []*finding.Finding
	reported := map[subject]bool{}
	for _, pos := range c.order {
		if s := c.sites[pos]; s.finding != nil && !c.guarded(s) && !reported[s.of] {
			reported[s.of] = true
			s.candidate.Is(s.finding.Variant).Reported = true
			out = append(out, s.finding)
		}
	}
	return out
}

func (c *checker) at(pos token.Pos) *site {
	s := c.sites[pos]
	if s == nil {
		s = &site{}
		c.sites[pos] = s
		c.order = append(c.order, pos)
	}
	return s
}

// guarded reports whether a lock is held however the site is reached.
func (c *checker) guarded(s *site) bool {
	return state.Everywhere(s.contexts, func(k context) bool { return k.locked }) &&
		s.candidate.Says(locked, s.finding.Pos, "a lock is held however it is reached")
}

// makes reports whether an effect makes a file and takes one that is there as
// well: by opening it, or by moving a new one over it.
func (c *checker) makes(f *effects.Func, e *effects.Effect) bool {
	switch e.Kind {
	case effects.CreateExclusive, effects.Link:
		return false
	case effects.Replace:
		return true
	case effects.Rename:
		return slices.ContainsFunc(makings(f), func(w *effects.Effect) bool {
			return (w.Makes || w.Kind == effects.CreateExclusive) && memory.SameFile(w.Path, e.Path) && effects.Before(w, e)
		})
	}
	return e.Makes
}

// makings lists the effects of f that make a file or a directory.
func makings(f *effects.Func) []*effects.Effect {
	return slices.DeleteFunc(slices.Clone(f.Effects), func(e *effects.Effect) bool {
		return !e.Makes && e.Kind != effects.CreateExclusive && e.Kind != effects.MakeDir
	})
}

// pathOf is the path of the file that an effect makes.
func pathOf(e *effects.Effect) *pathexpr.Term {
	if e.Kind == effects.Rename {
		return e.Target
	}
	return e.Path
}

// visit judges the making of a file as f sees it.
func (c *checker) visit(f *effects.Func, made *effects.Effect) {
	path := pathOf(made)
	if path == nil || made.When != effects.Inline {
		return
	}
	for _, e := range f.OfKind(effects.Stat, effects.Read) {
		if e == made || !asks(e) || !memory.SameFile(e.Path, path) || e.When != effects.Inline {
			continue
		}
		at, inner, ok := c.meet(f, e, made)
		if !ok {
			continue
		}
		k, fd := c.checked(f, inner, e, made, at)
		if fd != nil && lockedItself(f, made) && k.Says(ownLock, made.Pos, "the file is locked itself") {
			continue
		}
		s := c.at(at.Pos())
		s.contexts = append(s.contexts, context{f: f, locked: lockedFor(f, made, path) || c.excluded(f, made)})
		if s.finding == nil && fd != nil {
			s.finding, s.candidate, s.of = fd, k, subject{inner, pathOf(same(inner, made)).Key()}
		}
	}
}

// asks reports whether an effect finds out whether a file is there.
func asks(e *effects.Effect) bool {
	return e.Kind == effects.Stat || e.Kind == effects.Read && !e.Makes && !(e.Handle != nil && !e.ReturnsHandle)
}

// lockedItself reports whether the file is locked through the handle that makes
// it: for one process alone, with a look at the answer, before anything is written.
func lockedItself(f *effects.Func, made *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(effects.Lock), func(e *effects.Effect) bool {
		return !e.Shared && !e.Dropped && (e.On(made.Handle) || memory.SameFile(e.Path, made.Path)) &&
			!slices.ContainsFunc(f.OfKind(effects.Write), func(w *effects.Effect) bool { return w.On(made.Handle) && effects.Before(w, e) })
	})
}

// excluded reports whether another file is made exclusively before, which may be
// the lock for this one, and is there still.
func (c *checker) excluded(f *effects.Func, made *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(effects.CreateExclusive, effects.Link), func(e *effects.Effect) bool {
		name := e.Path
		if e.Kind == effects.Link {
			name = e.Target
		}
		return !e.Dropped && (e.Kind == effects.Link || !e.Path.Has(pathexpr.Fresh)) && effects.Before(e, made) &&
			forFile(name, pathOf(made)) &&
			!c.p.Failed(f, e, made) &&
			!slices.ContainsFunc(f.OfKind(effects.Remove), func(r *effects.Effect) bool {
				return memory.SameFile(r.Path, name) && effects.Before(e, r) && effects.Before(r, made)
			})
	})
}

// lockedFor reports whether a lock between processes is held where a file is made or taken
// away that can be one for the file, and that no other process can hold at the same time.
func lockedFor(f *effects.Func, at *effects.Effect, file *pathexpr.Term) bool {
	held := false
	for _, l := range f.OfKind(effects.Lock, effects.Unlock) {
		switch {
		case !effects.Before(l, at) || !forFile(l.Path, file):
		case l.Kind == effects.Lock && !l.Shared:
			held = true
		case l.Kind == effects.Unlock && l.When == effects.Inline:
			held = false
		}
	}
	return held
}

// forFile reports whether the lock file at one path can be that of the file at another: it
// is the file or stands beside it, both paths begin in one directory, or one of them is not
// known.
func forFile(lock, path *pathexpr.Term) bool {
	return lock == nil || path == nil || effects.Beside(&effects.Effect{Action: effects.Action{Path: lock}}, path) ||
		!pathexpr.Apart(lock, path)
}

// meet finds the innermost function that has both effects, and the call in it
// that leads to the second.
func (c *checker) meet(f *effects.Func, first, second *effects.Effect) (*ast.CallExpr, *effects.Func, bool) {
	i := 0
	for i < len(first.Via) && i < len(second.Via) && first.Via[i] == second.Via[i] {
		if f = c.p.Callee(first.Via[i]); f == nil {
			return nil, nil, false
		}
		i++
	}
	at := second.Call
	if i < len(second.Via) {
		at = second.Via[i]
	}
	return at, f, at != nil
}

// same finds the effects of the inner function that e is seen as from outside.
func same(inner *effects.Func, e *effects.Effect) *effects.Effect {
	list := inner.OfKind(e.Kind)
	i := slices.IndexFunc(list, func(x *effects.Effect) bool {
		return x.Pos == e.Pos && len(x.Via) <= len(e.Via) && slices.Equal(x.Via, e.Via[len(e.Via)-len(x.Via):])
	})
	if i < 0 {
		return nil
	}
	return list[i]
}
