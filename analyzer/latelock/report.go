package latelock

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A report gathers the findings, one at a place. Changes that are fixed by
// moving the same lock operation share their remedy.
type report struct {
	log   *verdict.Log
	x     *state.Index
	list  []*finding.Finding
	moves map[*locks.Event][]moved
	// places are those of the findings, and subjects what they are about.
	places   map[token.Pos]bool
	subjects map[subject]bool
}

// A subject is a function, a variant and a lock; the variant is empty for any.
type subject struct{ fn, variant, lock string }

// A moved is a finding that is fixed by a move, and where the change stands.
type moved struct {
	finding *finding.Finding
	at      token.Pos
}

// silent notes a rule against the report of a use, and reports whether it is asked.
func (r *report) silent(u *use, by *verdict.Rule, pos token.Pos, text string) bool {
	if !r.log.Asks(by) {
		return false
	}
	if r.log.Keeps() {
		at, _ := extent(u.Func.SSA, u.site())
		r.log.Candidate(Name, at, memory.FuncName(u.Func.SSA)).Says(by, cmp.Or(pos, u.Access.Pos), text)
	}
	return true
}

// add takes a finding into the list, with what speaks for it. Of those about memory alone the first of
// a function and a lock is enough to see what has to move.
func (r *report) add(f *finding.Finding, k *pair, ofMemory bool) {
	about := subject{f.Func, f.Variant, k.lock}
	place := r.log.Candidate(Name, f.Pos, f.Func).Is(f.Variant)
	if ofMemory && r.subjects[about] {
		return
	}
	place.Reported = true
	for _, e := range f.Evidence {
		place.Says(mostHold, e.Pos, e.Text)
	}
	r.list = append(r.list, f)
	r.places[f.Pos], r.subjects[about], r.subjects[subject{f.Func, "", k.lock}] = true, true, true
}

// findings hands out the findings with their remedies: all changes around one lock operation move
// together.
func (r *report) findings() []*finding.Finding {
	for ev, changes := range r.moves {
		r.remedy(ev, changes)
	}
	return r.list
}

func (r *report) remedy(ev *locks.Event, changes []moved) {
	var places []token.Pos
	for _, c := range changes {
		places = append(places, c.at)
	}
	slices.Sort(places)
	body := effects.BodyOf(ev.Instr.Parent())
	for _, c := range changes {
		if ev.Mode == locks.Free {
			c.finding.NoFix = "release the lock after the last change"
		} else {
			c.finding.Remedy = finding.MoveInside{Body: body, Lock: ev.Pos, Changes: places}
		}
	}
}

func step(goroutine string, pos token.Pos, does, memory string) finding.Step {
	return finding.Step{Actor: "goroutine " + goroutine, Pos: pos, Does: does, Memory: memory}
}

// change reports a change outside of the lock.
func (r *report) change(u *use, k *pair) {
	f := k.finding(u)
	if r.places[f.Pos] {
		return
	}
	place, lock, other := u.Place.String(), u.Lock.String(), k.other(u, u.mode)
	changes := place
	if u.in() != u.fn() {
		changes += ", in " + memory.FuncName(u.in()) + ","
	}
	at, does := other.seenFrom(u), other.does()+" "+other.Place.String()
	acquire, release := early(u.Way), late(u.Way)
	switch {
	case u.mode == locks.Reading:
		f.Variant = "readlock"
		f.Sentence = fmt.Sprintf("%s changes %s while it holds only the read lock of %s, which others hold at the same time",
			f.Func, changes, lock)
		f.NoFix = "take the lock with Lock and release it with Unlock, unless what runs under it takes it, too"
		f.Schedule = []finding.Step{
			step("A", at, "holds the read lock and "+does, ""),
			step("B", u.Access.Pos, "holds the read lock too and changes "+place, other.meets("B", "A")),
		}
	case acquire != nil && acquire.Cancellable:
		f.Variant = "cancellable"
		f.Sentence = fmt.Sprintf("%s changes %s before it waits for %s: "+
			"if the wait is given up here, memory keeps the change that was never saved", f.Func, changes, lock)
		f.Schedule = []finding.Step{
			step("A", at, "holds "+lock+" and "+does, ""),
			step("B", u.Access.Pos, "changes "+place+" without it", "the change of B"),
			step("B", acquire.Pos, "waits, gives up and returns an error; the change stays", "the change of B, although B has failed"),
		}
		r.moves[acquire] = append(r.moves[acquire], moved{f, u.site()})
	case acquire != nil:
		f.Variant = "before"
		f.Sentence = fmt.Sprintf("%s changes %s before it takes %s: "+
			"the holder of the lock sees half of the change or overwrites it", f.Func, changes, lock)
		f.Schedule = []finding.Step{
			step("A", at, "holds "+lock+" and "+does, ""),
			step("B", u.Access.Pos, "changes "+place+" at the same time", other.meets("B", "A")),
			step("B", acquire.Pos, "takes "+lock+", too late", ""),
		}
		r.moves[acquire] = append(r.moves[acquire], moved{f, u.site()})
	default:
		f.Variant = "after"
		f.Sentence = fmt.Sprintf("%s changes %s after it has released %s: "+
			"the next holder of the lock sees half of the change or overwrites it", f.Func, changes, lock)
		f.Schedule = []finding.Step{
			step("A", release.Pos, "releases "+lock, ""),
			step("B", at, "takes it and "+does, ""),
			step("A", u.Access.Pos, "changes "+place+" at the same time", other.meets("A", "B")),
		}
		r.moves[release] = append(r.moves[release], moved{f, u.site()})
	}
	r.add(f, k, k.memory)
}

// recheck reports an entry that is made without looking again.
func (r *report) recheck(u *use, l *look, k *pair) {
	f := k.finding(u)
	if r.places[f.Pos] {
		return
	}
	place, lock := u.Place.String(), u.Lock.String()
	f.Variant = "recheck"
	f.Sentence = fmt.Sprintf("%s enters a new object into %s because an earlier look found none, but has released %s since: "+
		"the second of two callers replaces the object of the first", f.Func, place, lock)
	f.NoFix = "only its author can say which of the two objects the function goes on with: look again once " +
		lock + " is taken, and enter only where there is none by then"
	f.Schedule = []finding.Step{
		step("A", l.Pos, "looks at "+place+", finds nothing and releases "+lock, "nothing"),
		step("B", l.Pos, "looks, finds nothing, enters its own and uses it", "that of B"),
		step("A", f.Pos, "enters another one; the object of B is lost", "that of A, and not that of B"),
	}
	r.add(f, k, k.memory)
}

// unguarded reports a use of elements without the lock, and a change under the lock that can come at the
// same time, unless the function has a finding about the lock already.
func (r *report) unguarded(u, writer *use, k *pair) {
	f := k.finding(u)
	f.Func, f.Variant = memory.FuncName(u.in()), "unguarded"
	f.Pos, f.End = extent(u.Access.Func.SSA, u.Access.Pos)
	by := memory.FuncName(u.fn())
	if r.subjects[subject{f.Func, "", k.lock}] || r.subjects[subject{by, "", k.lock}] {
		return
	}
	does, name, sees := handled(u.Access), u.Access.Var.Name(), "it may read elements that are no longer or not yet there"
	if _, ok := u.Access.Var.Type().Underlying().(*types.Map); ok {
		sees = "Go ends the program when a map is used and changed at the same time"
	}
	f.NoFix = "a caller may hold the lock one day, and would wait for itself"
	f.Sentence = fmt.Sprintf("%s %s %s without %s, under which %s changes it: %s",
		f.Func, does, name, k.lock, memory.FuncName(writer.fn()), sees)
	f.Schedule = []finding.Step{
		step("A", writer.seenFrom(u), "holds "+k.lock+" and changes "+writer.Place.String(), "half of the change of A"),
		step("B", u.Access.Pos, does.String()+" "+name+" at the same time", "the change of A, of which B has seen a part"),
	}
	r.add(f, k, false)
}

// maxEvidence bounds the functions that are named.
const maxEvidence = 4

// finding fills what all findings share.
func (k *pair) finding(u *use) *finding.Finding {
	f := &finding.Finding{Check: Name, Func: memory.FuncName(u.Func.SSA)}
	f.Pos, f.End = extent(u.Func.SSA, u.site())
	under, all := k.others(k.held, u), k.others(k.uses, u)
	f.Claim = fmt.Sprintf("guarded by %s, in %d of %d other functions", k.lock, len(under), len(all))
	for _, h := range under[:min(len(under), maxEvidence)] {
		text := fmt.Sprintf("%s %s it under %s", memory.FuncName(h.fn()), h.does(), h.Lock)
		f.Evidence = append(f.Evidence, finding.Evidence{Pos: h.seenFrom(u), Text: text})
	}
	return f
}

func (u *use) does() string {
	if u.Access.Write {
		return "changes"
	}
	return "reads"
}

// meets is what memory holds when one goroutine uses a place at the time of another's change.
func (u *use) meets(changer, who string) string {
	if u.Access.Write {
		return "one of the two changes"
	}
	return "the change of " + changer + ", of which " + who + " has seen a part"
}

// other is a use of another function that has the lock, in a mode if there is such a one, else a change
// if there is any. It is u itself where no other function has the lock.
func (k *pair) other(u *use, mode locks.Mode) *use {
	best := u
	for _, h := range k.held {
		if h.Func == u.Func {
			continue
		}
		if h.mode == mode {
			return h
		}
		if best == u || h.Access.Write && !best.Access.Write {
			best = h
		}
	}
	return best
}

// seenFrom is where a use stands in an explanation of another: a call that leads to the
// place of that one itself stands for its own function.
func (u *use) seenFrom(other *use) token.Pos {
	if u.Access.Pos == other.Access.Pos {
		return u.site()
	}
	return u.Access.Pos
}

// site is where a use stands in the function that knows how the lock stands.
func (u *use) site() token.Pos {
	if u.Direct() {
		return u.Access.Pos
	}
	return cmp.Or(u.Instr.Pos(), u.Access.Pos)
}

// extent bounds the innermost statement at a position; of one with a body, or of a return, the
// selector or the call there.
func extent(fn *ssa.Function, pos token.Pos) (token.Pos, token.Pos) {
	start, end := pos, pos
	ast.Inspect(fn.Syntax(), func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		switch n := n.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt:
			start, end = n.Pos(), n.End()
		case *ast.CallExpr:
			if start == end && n.Lparen == pos {
				start, end = n.Pos(), n.End()
			}
		case *ast.SelectorExpr, *ast.Ident:
			if start == end {
				start, end = n.Pos(), n.End()
			}
		}
		return true
	})
	return start, end
}
