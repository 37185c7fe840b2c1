package tornappend

import (
	_ "embed"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
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
		if f := c.decide(ks); f != nil {
			out = append(out, f)
		}
	}
	return out
}

type checker struct {
	p    *effects.Package
	x    *evidence.Index
	torn evidence.Contexts[*candidate]
}

// A candidate is one record in pieces, seen from one function: the one that
// writes it, or one that calls it and knows more of the file.
type candidate struct {
	root    *effects.Func
	pieces  []*effects.Effect
	locked  bool             // a lock between processes is held here over all pieces
	callers bool             // the file stays open, and somebody who calls the function takes a lock
	finding *finding.Finding // nil where this context gives no reason to speak
	weak    bool             // callers may know better what the file is
}

// Root implements [evidence.Context].
func (k *candidate) Root() *effects.Func { return k.root }

// handles lists the handles that a function writes to.
func handles(f *effects.Func) []*pathexpr.Term {
	var list []*pathexpr.Term
	for _, w := range f.Effects {
		if !writes(w) {
			continue
		}
		h := w.Handle.File()
		if (h.Kind == pathexpr.Handle || h.Kind == pathexpr.Field) &&
			!slices.ContainsFunc(list, func(o *pathexpr.Term) bool { return o.Equal(h) }) {
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
	var against []excuse
	for _, w := range f.Effects {
		switch {
		case !w.On(h):
		case passedOn(w):
			against = append(against, excuse{escapes, w.Pos, "the open file is given to code that is not seen"})
		case w.Kind == effects.Truncate:
			against = append(against, excuse{ownFile, w.Pos, "it is emptied through the same handle"})
		case !writes(w):
		case memory.Buffer(w.Handle) != "":
			buffered = append(buffered, w)
		default:
			plain = append(plain, w)
		}
	}
	if against = c.asked(against); len(against) > 0 && !c.x.Log().Keeps() {
		return
	}
	o, excuses := c.opening(f, h)
	if against = append(against, c.asked(excuses)...); o == nil || len(against) > 0 && !c.x.Log().Keeps() {
		return
	}
	for _, pieces := range c.lines(plain) {
		if c.keep(pieces, against) {
			c.add(f, o, pieces, variant(pieces))
		}
	}
	if len(buffered) == 0 {
		return
	}
	k := c.at(buffered[0])
	if !k.Says(bufferCuts, buffered[0].Pos, "it is written when the buffer is full") ||
		!cuts(c.p, o.open, buffered) && k.Says(oneWrite, buffered[0].Pos, "one write alone goes through the buffer") ||
		(h.Kind != pathexpr.Handle || f.Outlives(h)) && k.Says(escapes, buffered[0].Pos, "the file stays open when the function returns") {
		return
	}
	if c.keep(buffered, against) {
		c.add(f, o, buffered, "buffered")
	}
}

// An excuse is a rule that speaks against all records that go through a handle.
type excuse struct {
	*verdict.Rule
	pos  token.Pos
	text string
}

// asked are the excuses whose rules are not left out.
func (c *checker) asked(list []excuse) []excuse {
	return slices.DeleteFunc(list, func(e excuse) bool { return !c.x.Log().Asks(e.Rule) })
}

// at is a write as a candidate of the check: the first piece of its record.
func (c *checker) at(w *effects.Effect) *verdict.Candidate { return c.x.Candidate(Name, w) }

// keep reports whether no excuse speaks against a record, and notes those that do.
func (c *checker) keep(pieces []*effects.Effect, against []excuse) bool {
	for _, e := range against {
		c.at(pieces[0]).Says(e.Rule, e.pos, e.text)
	}
	return len(against) == 0
}

// lines are the records in pieces among writes.
func (c *checker) lines(ws []*effects.Effect) [][]*effects.Effect {
	list := c.records(ws, !c.x.Log().Asks(oneWrite))
	if c.x.Log().Keeps() {
		for _, pieces := range c.records(ws, true) {
			if !slices.ContainsFunc(list, func(o []*effects.Effect) bool { return o[0] == pieces[0] }) {
				c.at(pieces[0]).Says(oneWrite, pieces[0].Pos, "a piece is the content of another file")
			}
		}
	}
	return slices.DeleteFunc(list, func(pieces []*effects.Effect) bool {
		return !c.at(pieces[0]).Says(inPieces, pieces[0].Pos, "the next write goes on with the line")
	})
}

// passedOn reports whether the handle is given to code that cannot be seen. A call
// that is given nothing is a method of the handle itself.
func passedOn(e *effects.Effect) bool {
	return e.Kind == effects.Escape && e.Call != nil && len(e.Call.Args) > 0
}

// An opening is how the file is opened that a function appends to.
type opening struct {
	open  *effects.Effect
	path  *pathexpr.Term
	local bool // in the function itself, or in one that it calls
}

// opening finds how the file behind a handle was opened for appending, and what says that
// it belongs to this process alone; nil where it was opened otherwise, or nobody can tell.
func (c *checker) opening(f *effects.Func, h *pathexpr.Term) (*opening, []excuse) {
	for _, o := range f.OfKind(effects.Append) {
		if o.Foreign != "" || o.Path == nil || !o.On(h) {
			continue
		}
		return &opening{open: o, path: o.Path.Path(), local: true}, c.own(f, o)
	}
	var against []excuse
	openers := openers(c.p, h)
	for _, o := range openers {
		if o.Open.Kind != effects.Append || o.Open.Path == nil {
			return nil, nil
		}
		against = append(against, c.own(o.Func, o.Open)...)
		if l := c.heldLock(o.Func, o.Open.Path); l != nil {
			against = append(against, excuse{lockHeld, l.Pos, o.Func.Name() + " takes a lock and keeps it"})
		}
	}
	if len(openers) == 0 {
		return nil, nil
	}
	path := c.p.LockFile(h)
	if path.Equal(h) {
		path = openers[0].Open.Path.Path()
	}
	return &opening{open: openers[0].Open, path: path}, against
}

// own says why the function that opens the file has it for itself: its name has the number of
// the process, or the function makes or empties it first, or moves it to another name
// afterwards.
func (c *checker) own(f *effects.Func, o *effects.Effect) []excuse {
	var list []excuse
	path := o.Path.Path()
	if path.Has(pathexpr.Pid) {
		list = append(list, excuse{ownName, o.Pos, "the number of the process is in its name"})
	}
	for _, e := range f.Effects {
		switch e.Kind {
		case effects.Remove, effects.Truncate, effects.CreateExclusive, effects.Replace:
			if e.Path != nil && e.In == o.In && (memory.SameFile(e.Path, path) || path.Under(e.Path.Path())) && c.before(e, o) {
				list = append(list, excuse{ownFile, e.Pos, "it is made, emptied or removed before"})
			}
		case effects.Rename:
			if memory.SameFile(e.Path, path) && effects.Reaches(o, e) && c.moves(f, o, e) {
				list = append(list, excuse{ownFile, e.Pos, "it is moved to another name afterwards"})
			}
		}
	}
	return list
}

// heldLock is a lock between processes for a file that a function takes and does not let
// go of; nil for none.
func (c *checker) heldLock(f *effects.Func, file *pathexpr.Term) *effects.Effect {
	for _, l := range f.OfKind(effects.Lock) {
		if !l.Shared && cycles.Ties(f, l.Path, file) && cycles.HeldAtEnd(c.p.Flow, f, l, memory.Succeeds) {
			return l
		}
	}
	return nil
}

// moves reports whether a function that opens a file does not end well without moving it.
func (c *checker) moves(f *effects.Func, o, e *effects.Effect) bool {
	if e.When == effects.Deferred || o.At == nil || e.At == nil || o.At == e.At {
		return true
	}
	for r := range flow.Returns(f.SSA) {
		if memory.Succeeds(r) && c.p.Flow.Goes(o.At, r, e.At) {
			return false
		}
	}
	return true
}

func (c *checker) add(f *effects.Func, o *opening, pieces []*effects.Effect, variant string) {
	k := &candidate{root: f, pieces: pieces}
	k.locked = cycles.Spanning(c.p, f, effects.Lock, pieces[0], pieces[len(pieces)-1], o.path) != nil && c.x.Log().Asks(lockHeld)
	k.callers = !k.locked && !o.local && c.lockedAbove(f) && c.x.Log().Asks(lockHeld)
	k.finding = c.judge(k, o, variant)
	c.torn.Add(pieces[0].Pos, k)
}

// lockedAbove reports whether somebody who calls the function, or the function around it, has
// a lock between processes there.
func (c *checker) lockedAbove(f *effects.Func) bool {
	return slices.ContainsFunc(f.CalledBy, func(g *effects.Func) bool {
		return slices.ContainsFunc(g.SSA.Blocks, func(b *ssa.BasicBlock) bool {
			return slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool { return comesTo(c.p, i, f) && cycles.LockedAt(c.p, g, i) })
		})
	})
}

// comesTo reports whether an instruction calls a function, or makes a closure of it.
func comesTo(p *effects.Package, i ssa.Instruction, f *effects.Func) bool {
	switch i := i.(type) {
	case ssa.CallInstruction:
		return p.Body(i.Common()) == f.SSA
	}
	return false
}

// decide chooses what is reported of one record out of the contexts it is seen
// in: nothing where every outermost one holds a lock.
func (c *checker) decide(ks []*candidate) *finding.Finding {
	var best *candidate
	inner := evidence.Inner(ks)
	for _, k := range ks {
		if k.finding == nil ||
			k.weak && inner[k.root] &&
				c.at(k.pieces[0]).Says(callersKnow, k.pieces[0].Pos, "a function that calls "+k.root.Name()+" comes to it, too") {
			continue
		}
		if best == nil || len(k.pieces[0].Via) < len(best.pieces[0].Via) {
			best = k
		}
	}
	if best == nil {
		return nil
	}
	look := c.at(best.pieces[0]).Is(best.finding.Variant)
	if evidence.Everywhere(ks, func(k *candidate) bool { return k.locked || k.callers }) {
		for _, k := range ks {
			switch {
			case k.locked:
				look.Says(lockHeld, k.root.SSA.Pos(), k.root.Name()+" has a lock for all pieces")
			case k.callers:
				look.Says(lockHeld, k.root.SSA.Pos(), "a caller of "+k.root.Name()+" takes a lock")
			}
		}
		return nil
	}
	look.Reported = true
	return best.finding
}
