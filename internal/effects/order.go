package effects

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// MadePath is the file that an effect makes.
func MadePath(made *Effect) *pathexpr.Term {
	if made.Kind == Rename || made.Kind == Link {
		return made.Target
	}
	if made.Path == nil {
		return nil
	}
	return made.Path.Path()
}

// Saves is the file of which w writes all content, and the effect that changes it:
// w, or the rename that puts what w writes in its place. It is nil where w writes
// a part, or to a file that the function did not open.
func (f *Func) Saves(w *Effect) (file *pathexpr.Term, last *Effect) {
	if w.Kind != Write && w.Kind != Replace || w.Path == nil || f.Appends(w) {
		return nil, nil
	}
	for _, e := range f.OnFile(w.Path, Rename) {
		if e.Target != nil && (Reaches(w, e) || inOneGoroutine(w, e)) {
			return e.Target, e
		}
	}
	if w.Kind != Write {
		return PendingFor(w.Path), w
	}
	if len(f.OnHandle(w.Handle, Truncate, CreateExclusive)) > 0 {
		return PendingFor(w.Path), w
	}
	if w.Handle != nil && w.Handle.File().Kind == pathexpr.Alt { // or to what the caller has opened
		for _, e := range f.OfKind(Truncate, CreateExclusive) {
			if w.On(e.Handle) {
				return e.Path, w
			}
		}
	}
	return nil, nil
}

// inOneGoroutine reports whether b happens after a in the goroutine of both.
func inOneGoroutine(a, b *Effect) bool {
	return a.When == Spawned && b.When == Spawned && a.At == b.At && a.Seq < b.Seq
}

// Appends reports whether what w writes comes behind what the file holds.
func (f *Func) Appends(w *Effect) bool {
	return len(f.OnHandle(w.Handle, Append)) > 0
}

// PendingFor is the file in whose place a pending one is put when it is
// committed, and the path itself for any other.
func PendingFor(path *pathexpr.Term) *pathexpr.Term {
	if path.Kind == pathexpr.Fresh && len(path.Args) == 1 {
		return path.Args[0]
	}
	return path
}

// ReachesWithout reports whether b can happen after e with nothing of what past does in
// between.
func (e *Effect) ReachesWithout(b, past *Effect) bool {
	if e.At == b.At && e.Seq < b.Seq {
		return true
	}
	switch {
	case past == nil:
		return e.flow.Reaches(e.At, b.At)
	case past.At == b.At && past.Seq < b.Seq:
		return false // the call that does b does past first
	}
	return e.flow.Goes(e.At, b.At, past.At)
}

// CanCall reports whether f can come to call g.
func (p *Package) CanCall(f, g *Func) bool { return slices.Contains(p.Below(f), g) }

// Below are the functions of the package that f leads to, itself included.
func (p *Package) Below(f *Func) []*Func {
	return flow.Reach(p.Flow.Budget, p.next, f)
}

// At is where the syntax of a call begins; where it has none, what SSA says.
func (p *Package) At(call *ssa.Call) token.Pos {
	if c := p.CallAt(call.Pos()); c != nil {
		return c.Pos()
	}
	return call.Pos()
}

// Names reports whether a field of an object is the path of a file.
func (p *Package) Names(object *ssa.Alloc, file *pathexpr.Term) bool {
	return slices.ContainsFunc(flow.Uses(object), func(ref ssa.Instruction) bool {
		fa, ok := ref.(*ssa.FieldAddr)
		return ok && slices.ContainsFunc(flow.StoresAt(fa), func(st *ssa.Store) bool { return p.Term(st.Val).Equal(file) })
	})
}

// MadeBy is what an encoder or a template wrote into the buffer from which the bytes t
// are taken; t itself for anything else.
func (f *Func) MadeBy(t *pathexpr.Term) *pathexpr.Term {
	if !ofBuffer(t) {
		return t
	}
	return madeBy(f.OfKind(Write), t)
}

// ofBuffer reports whether bytes can be those of a buffer, and nothing says what made them.
func ofBuffer(t *pathexpr.Term) bool {
	return t != nil && t.Has(pathexpr.Unknown) && !t.Has(pathexpr.Encoded)
}

// madeBy is [Func.MadeBy] for the writes among some effects, while the function may yet
// have more.
func madeBy(list []*Effect, t *pathexpr.Term) *pathexpr.Term {
	if !ofBuffer(t) {
		return t
	}
	for _, e := range list {
		if e.Kind != Write || e.Handle == nil || e.Data == nil || e.Data.Kind != pathexpr.Encoded && e.Data.Kind != pathexpr.Made {
			continue
		}
		if buf := e.Handle.File(); buf.Kind == pathexpr.Unknown && t.Any(func(x *pathexpr.Term) bool { return x.Equal(buf) }) {
			return e.Data
		}
	}
	return t
}
