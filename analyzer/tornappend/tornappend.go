package tornappend

import (
	_ "embed"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Doc is the source of doc.go, the only text of the check's documentation.
//
//go:embed doc.go
var Doc string

// Name is the name of the check.
const Name = "tornappend"

// Run reports records of the package that are appended in pieces. Each is judged
// in the function that writes it and in every caller that leads to it; the report
// stands at its first piece, once.
func Run(p *effects.Package, x *evidence.Index) []*finding.Finding {
	c := &checker{p: p, x: x}
	for _, f := range p.Funcs {
		for _, h := range handles(f) {
			c.visit(f, h)
		}
	}
	var out []*finding.Finding
	for ks := range c.torn.Places() {
		if f := decide(ks); f != nil {
			out = append(out, f)
		}
	}
	return out
}

type checker struct {
	p    *effects.Package
	x    *evidence.Index
	torn effects.Contexts[*candidate]
}

// A candidate is one record in pieces, seen from one function: the one that
// writes it, or one that calls it and knows more of the file.
type candidate struct {
	root    *effects.Func
	pieces  []*effects.Effect
	locked  bool             // a lock between processes is held here
	finding *finding.Finding // nil where this context gives no reason to speak
	weak    bool             // callers may know better what the file is
}

// Root implements [effects.Context].
func (k *candidate) Root() *effects.Func { return k.root }

// handles lists the handles that a function writes to.
func handles(f *effects.Func) []*pathexpr.Term {
	var list []*pathexpr.Term
	for _, w := range f.Effects {
		if !writes(w) {
			continue
		}
		h := w.Handle.File()
		if (h.Kind == pathexpr.Handle || h.Kind == pathexpr.Field) && !slices.ContainsFunc(list, func(o *pathexpr.Term) bool { return o.Key() == h.Key() }) {
			list = append(list, h)
		}
	}
	return list
}

// writes reports whether the effect is a write of this package at the end of the
// file.
func writes(w *effects.Effect) bool {
	return w.Kind == effects.Write && w.Handle != nil && w.Call != nil && w.Foreign == "" && w.When != effects.Deferred && !w.Whole
}

// visit looks for records in pieces among what a function writes to a handle that
// appends.
func (c *checker) visit(f *effects.Func, h *pathexpr.Term) {
	var plain, buffered []*effects.Effect
	for _, w := range f.Effects {
		switch {
		case !w.On(h):
		case gives(w), w.Kind == effects.Truncate:
			return
		case !writes(w) || c.x.Generated(w.Pos):
		case memory.Buffer(w.Handle) != "":
			buffered = append(buffered, w)
		default:
			plain = append(plain, w)
		}
	}
	o := c.opening(f, h)
	if o == nil {
		return
	}
	for _, pieces := range c.records(plain) {
		c.add(f, o, pieces, variant(pieces))
	}
	if len(buffered) > 0 && h.Kind == pathexpr.Handle && cuts(c.p, o.open, buffered) && !f.Outlives(h) {
		c.add(f, o, buffered, "buffered")
	}
}

// gives reports whether the handle is given to code that cannot be seen. A call
// that is given nothing is a method of the handle itself.
func gives(e *effects.Effect) bool {
	return e.Kind == effects.Escape && e.Call != nil && len(e.Call.Args) > 0
}

// An opening is how the file is opened that a function appends to.
type opening struct {
	open  *effects.Effect
	path  *pathexpr.Term
	local bool // in the function itself, or in one that it calls
}

// opening finds how the file behind a handle was opened for appending; nil where
// it was opened otherwise, or nobody can tell, or it belongs to this process
// alone.
func (c *checker) opening(f *effects.Func, h *pathexpr.Term) *opening {
	for _, o := range f.OfKind(effects.Append) {
		if o.Foreign != "" || o.Path == nil || !o.On(h) {
			continue
		}
		if c.own(f, o) {
			return nil
		}
		return &opening{open: o, path: o.Path.Path(), local: true}
	}
	openers := openers(c.p, h)
	for _, o := range openers {
		if o.Open.Kind != effects.Append || o.Open.Path == nil || c.own(o.Func, o.Open) || keepsLock(o.Func) {
			return nil
		}
	}
	if len(openers) == 0 {
		return nil
	}
	path := c.p.LockFile(h)
	if path.Key() == h.Key() {
		path = openers[0].Open.Path.Path()
	}
	return &opening{open: openers[0].Open, path: path}
}

// own reports whether the function that opens the file has it for itself: makes or
// empties it first, or moves it to another name afterwards.
func (c *checker) own(f *effects.Func, o *effects.Effect) bool {
	path := o.Path.Path()
	if path.Has(pathexpr.Pid) {
		return true
	}
	return slices.ContainsFunc(f.Effects, func(e *effects.Effect) bool {
		switch e.Kind {
		case effects.Remove, effects.Truncate, effects.CreateExclusive, effects.Replace:
			return e.Path != nil && e.In == o.In && (memory.SameFile(e.Path, path) || path.Under(e.Path.Path())) && c.before(e, o)
		case effects.Rename:
			return memory.SameFile(e.Path, path) && effects.Reaches(o, e)
		}
		return false
	})
}

// keepsLock reports whether a function takes a lock between processes and does
// not let go of it.
func keepsLock(f *effects.Func) bool {
	return slices.ContainsFunc(f.OfKind(effects.Lock), func(l *effects.Effect) bool {
		return !l.Shared && !slices.ContainsFunc(f.OfKind(effects.Unlock), func(u *effects.Effect) bool {
			return effects.SameLock(l, u)
		})
	})
}

func (c *checker) add(f *effects.Func, o *opening, pieces []*effects.Effect, variant string) {
	k := &candidate{root: f, pieces: pieces}
	k.locked = c.locked(f, o, pieces)
	k.finding = c.judge(k, o, variant)
	c.torn.Add(pieces[0].Pos, k)
}

// locked reports whether a lock between processes is held over all pieces, or,
// for a file that stays open, by somebody who calls the function.
func (c *checker) locked(f *effects.Func, o *opening, pieces []*effects.Effect) bool {
	if !slices.ContainsFunc(pieces, func(w *effects.Effect) bool { return !f.Locked(w) }) {
		return true
	}
	return !o.local && slices.ContainsFunc(c.p.Funcs, func(g *effects.Func) bool {
		return g.IsCallerOf(f) && slices.ContainsFunc(g.OfKind(effects.Lock), func(l *effects.Effect) bool { return !l.Shared })
	})
}

// decide chooses what is reported of one record out of the contexts it is seen
// in: nothing where every outermost one holds a lock.
func decide(ks []*candidate) *finding.Finding {
	var best *candidate
	for _, k := range ks {
		if k.finding == nil || k.weak && effects.LedTo(ks, k) {
			continue
		}
		if best == nil || len(k.pieces[0].Via) < len(best.pieces[0].Via) {
			best = k
		}
	}
	if best == nil || effects.Everywhere(ks, func(k *candidate) bool { return k.locked }) {
		return nil
	}
	return best.finding
}
