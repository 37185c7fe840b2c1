package latelock

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lockset"
)

// A report gathers the findings, one at a place. Changes that are mended by
// moving the same lock operation share their remedy.
type report struct {
	list  []*finding.Finding
	moves map[*lockset.Event][]moved
}

// A moved is a finding that is mended by a move, and where the change stands.
type moved struct {
	finding *finding.Finding
	at      token.Pos
}

func (r *report) add(f *finding.Finding) {
	if !r.has(f) {
		r.list = append(r.list, f)
	}
}

func (r *report) has(f *finding.Finding) bool {
	return slices.ContainsFunc(r.list, func(o *finding.Finding) bool { return o.Pos == f.Pos })
}

// findings hands out the remedies: all changes around one lock operation move
// together.
func (r *report) findings() []*finding.Finding {
	for ev, changes := range r.moves {
		var places []token.Pos
		for _, c := range changes {
			places = append(places, c.at)
		}
		slices.Sort(places)
		body := bodyOf(ev.Instr.Parent())
		for _, c := range changes {
			f := c.finding
			if ev.Mode == lockset.Free {
				f.Remedy = finding.UnlockBehind{Body: body, Unlock: ev.Pos, Changes: places}
			} else {
				f.Remedy = finding.MoveInside{Body: body, Lock: ev.Pos, Changes: places}
			}
		}
	}
	return r.list
}

// site is where the use stands in the function that answers for it.
func (u *use) site() token.Pos {
	if u.Of != nil {
		return u.Instr.Pos()
	}
	return u.Pos
}

// extent bounds the innermost statement at a position; of one with a body its
// head.
func extent(fn *ssa.Function, pos token.Pos) (token.Pos, token.Pos) {
	start, end := pos, pos
	ast.Inspect(fn.Syntax(), func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt:
			if n.Pos() <= pos && pos < n.End() {
				start, end = n.Pos(), n.End()
			}
		}
		return true
	})
	return start, end
}

func bodyOf(fn *ssa.Function) *ast.BlockStmt {
	switch n := fn.Syntax().(type) {
	case *ast.FuncDecl:
		return n.Body
	case *ast.FuncLit:
		return n.Body
	}
	return nil
}

// change reports a change outside of the lock.
func (r *report) change(k pair, u *use, held []*use) {
	f := about(k, u, held)
	if r.has(f) {
		return
	}
	place, lock := u.Place.String(), u.lock.String()
	other := at(held, u)
	theirs := cmp.Or(other.Place.String(), place)
	switch early, late := tooEarly(u), tooLate(u); {
	case u.mode == lockset.Reading:
		f.Variant = "readlock"
		f.Sentence = fmt.Sprintf("%s changes %s while it holds only the read lock of %s, which others hold at the same time", f.Func, place, lock)
		f.NoFix = "whether what runs under the lock takes it again is for you to say"
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: other.Pos, Does: "holds the read lock and " + does(other) + " " + theirs},
			{Actor: "goroutine B", Pos: f.Pos, Does: "holds the read lock too and changes " + place},
		}
	case early != nil && early.Cancellable:
		f.Variant = "cancellable"
		f.Sentence = fmt.Sprintf("%s changes %s before it waits for %s: if the wait is given up here, memory keeps the change that was never saved", f.Func, place, lock)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: other.Pos, Does: "holds " + other.lock.String() + " and " + does(other) + " " + theirs},
			{Actor: "goroutine B", Pos: f.Pos, Does: "changes " + place + " without it"},
			{Actor: "goroutine B", Pos: early.Pos, Does: "waits, gives up and returns an error; the change stays"},
		}
		r.move(early, f, u.site())
	case early != nil:
		f.Variant = "before"
		f.Sentence = fmt.Sprintf("%s changes %s before it takes %s: who holds the lock meets the change half done or overwrites it", f.Func, place, lock)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: other.Pos, Does: "holds " + other.lock.String() + " and " + does(other) + " " + theirs},
			{Actor: "goroutine B", Pos: f.Pos, Does: "changes " + place + " at the same time"},
			{Actor: "goroutine B", Pos: early.Pos, Does: "takes " + lock + ", too late"},
		}
		r.move(early, f, u.site())
	default:
		f.Variant = "after"
		f.Sentence = fmt.Sprintf("%s changes %s after it has let go of %s: who takes the lock meets the change half done or overwrites it", f.Func, place, lock)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: late.Pos, Does: "lets go of " + lock},
			{Actor: "goroutine B", Pos: other.Pos, Does: "takes it and " + does(other) + " " + theirs},
			{Actor: "goroutine A", Pos: f.Pos, Does: "changes " + place + " at the same time"},
		}
		r.move(late, f, u.site())
	}
	if u.Of != nil {
		f.Sentence += ", in a function that it calls"
	}
	r.add(f)
}

// move notes that a finding is mended by moving past a lock operation.
func (r *report) move(ev *lockset.Event, f *finding.Finding, at token.Pos) {
	if r.moves == nil {
		r.moves = map[*lockset.Event][]moved{}
	}
	r.moves[ev] = append(r.moves[ev], moved{f, at})
}

// recheck reports an entry that is made without looking again.
func (r *report) recheck(k pair, u *use, look *ssa.Lookup, held []*use) {
	f := about(k, u, held)
	place, lock := u.Place.String(), u.lock.String()
	f.Variant = "recheck"
	f.Sentence = fmt.Sprintf("%s enters a new object into %s because an earlier look found none, but has let go of %s since: the second of two callers replaces what the first has got", f.Func, place, lock)
	f.NoFix = "the object that is there by then has to be returned"
	f.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: look.Pos(), Does: "looks into " + place + ", finds nothing and lets go of " + lock},
		{Actor: "goroutine B", Pos: look.Pos(), Does: "looks, finds nothing, enters its object and uses it"},
		{Actor: "goroutine A", Pos: f.Pos, Does: "enters another one; what B keeps is in no map any more"},
	}
	r.add(f)
}

// escape reports an element that is changed behind the lock.
func (r *report) escape(k pair, u *use, change *lockset.Access, held []*use) {
	f := about(k, u, held)
	place, lock := u.Place.String(), u.lock.String()
	grown := grows(held, u)
	if grown == nil {
		return
	}
	f.Pos, f.End = extent(u.f.SSA, change.Instr.Pos())
	f.Variant = "escaped"
	f.Sentence = fmt.Sprintf("%s changes an element of %s that it found before it let go of %s: when the slice has changed meanwhile, the change goes to an array that nobody reads or saves", f.Func, place, lock)
	f.NoFix = "the element has to be found again under the lock"
	f.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: u.Pos, Does: "takes the address of an element of " + place + " and lets go of " + lock},
		{Actor: "goroutine B", Pos: grown.Pos, Does: "replaces " + grown.Place.String() + " under the lock"},
		{Actor: "goroutine A", Pos: f.Pos, Does: "changes the element in the array that was left"},
	}
	r.add(f)
}

// grows is a use that replaces the slice, in another function.
func grows(held []*use, u *use) *use {
	for _, h := range held {
		if _, ok := h.Access.Instr.(*ssa.Store); h.Write && (ok || h.Of != nil) && h.Value != nil && h.f != u.f {
			return h
		}
	}
	return nil
}

// about fills what all findings share.
func about(k pair, u *use, held []*use) *finding.Finding {
	f := &finding.Finding{
		Check: Name, Func: effects.FuncName(u.f.SSA), Claim: "guarded by " + k.lock,
	}
	f.Pos, f.End = extent(u.f.SSA, u.site())
	seen := map[*ssa.Function]bool{}
	for _, h := range held {
		if fn := outermost(h.f.SSA); !seen[fn] && fn != outermost(u.f.SSA) && len(f.Evidence) < maxEvidence {
			seen[fn] = true
			f.Evidence = append(f.Evidence, finding.Evidence{Pos: h.Pos, Text: fmt.Sprintf("%s %s it under %s", effects.FuncName(fn), does(h), h.lock)})
		}
	}
	if len(f.Evidence) == 0 {
		h := held[0]
		f.Evidence = append(f.Evidence, finding.Evidence{Pos: h.Pos, Text: fmt.Sprintf("%s %s it under %s", effects.FuncName(h.f.SSA), does(h), h.lock)})
	}
	return f
}

// maxEvidence bounds the functions that are named.
const maxEvidence = 4

func does(u *use) string {
	if u.Write {
		return "changes"
	}
	return "reads"
}

// at is a use under the lock in another function, one that changes the place if
// there is any.
func at(held []*use, u *use) *use {
	var best *use
	for _, h := range held {
		if h.f != u.f && (best == nil || h.Write && !best.Write) {
			best = h
		}
	}
	if best == nil {
		return held[0]
	}
	return best
}
