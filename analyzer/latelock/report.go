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
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A report gathers the findings, one at a place. Changes that are fixed by
// moving the same lock operation share their remedy.
type report struct {
	log    *verdict.Log
	x      *evidence.Index
	list   []*finding.Finding
	places map[token.Pos]bool
	moves  map[*locks.Event][]moved
	about  map[*finding.Finding]subject
}

// A subject is what a finding is about.
type subject struct {
	lock   string
	memory bool // nothing of it is saved to a file
}

// A moved is a finding that is fixed by a move, and where the change stands.
type moved struct {
	finding *finding.Finding
	at      token.Pos
}

func newReport(log *verdict.Log, x *evidence.Index) *report {
	return &report{log: log, x: x, places: map[token.Pos]bool{}, moves: map[*locks.Event][]moved{}, about: map[*finding.Finding]subject{}}
}

// candidate is the place of a finding.
func (r *report) candidate(f *finding.Finding) *verdict.Candidate {
	return r.log.Candidate(Name, f.Pos, f.Func).Is(f.Variant)
}

// silent notes a rule against the report of a use, and reports whether it is asked.
func (r *report) silent(u *use, by *verdict.Rule, pos token.Pos, text string) bool {
	if !r.log.Asks(by) {
		return false
	}
	if r.log.Keeps() {
		at, _ := extent(u.Func.SSA, u.site())
		r.log.Candidate(Name, at, memory.FuncName(u.Func.SSA)).Says(by, cmp.Or(pos, u.acc.Pos), cmp.Or(text, by.Why))
	}
	return true
}

// add takes a finding into the list, with what speaks for it.
func (r *report) add(f *finding.Finding, g *guard, ofMemory bool) {
	r.places[f.Pos] = true
	k := r.candidate(f)
	if r.x.Generated(f.Pos) && k.Says(generated, f.Pos, "") {
		return
	}
	k.Reported = true
	for _, e := range f.Evidence {
		by := mostHold
		if e.Pos == g.declared {
			by = declaredSo
		}
		k.Says(by, e.Pos, e.Text)
	}
	r.list = append(r.list, f)
	r.about[f] = subject{g.lock, ofMemory}
}

// findings hands out the findings with their remedies: all changes around one lock operation move
// together. Of those about memory alone the first of a function and a lock is enough to see what has
// to move.
func (r *report) findings() []*finding.Finding {
	for ev, changes := range r.moves {
		r.remedy(ev, changes)
	}
	first := map[string]*finding.Finding{}
	key := func(f *finding.Finding) string { return f.Func + " " + f.Variant + " " + r.about[f].lock }
	for _, f := range r.list {
		if old := first[key(f)]; r.about[f].memory && (old == nil || f.Pos < old.Pos) {
			first[key(f)] = f
		}
	}
	list := slices.DeleteFunc(r.list, func(f *finding.Finding) bool {
		drop := r.about[f].memory && first[key(f)] != f
		if drop {
			r.candidate(f).Reported = false
		}
		return drop
	})
	for _, f := range list {
		if r.about[f].memory && r.candidate(f).Says(inMemory, f.Pos, "it is saved to no file, as far as is seen") {
			f.Severity = finding.Warning
		}
	}
	return list
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
			c.finding.Remedy = finding.UnlockBehind{Body: body, Unlock: ev.Pos, Changes: places}
		} else {
			c.finding.Remedy = finding.MoveInside{Body: body, Lock: ev.Pos, Changes: places}
		}
	}
}

func (r *report) move(ev *locks.Event, f *finding.Finding, u *use) {
	r.moves[ev] = append(r.moves[ev], moved{f, u.site()})
}

// change reports a change outside of the lock.
func (r *report) change(u *use, g *guard) {
	f := g.finding(u)
	if r.places[f.Pos] {
		return
	}
	place, lock, other := u.Place.String(), u.Lock.String(), g.other(u)
	changes := place
	if u.in() != u.fn() {
		changes += ", in " + memory.FuncName(u.in()) + ","
	}
	acquire, release := early(u.Way), late(u.Way)
	switch {
	case u.mode == locks.Reading:
		f.Variant = "readlock"
		f.Sentence = fmt.Sprintf("%s changes %s while it holds only the read lock of %s, which others hold at the same time", f.Func, changes, lock)
		if take := readLocked(u.Way); take != nil {
			f.Remedy = finding.LockToWrite{Body: effects.BodyOf(u.fn()), Lock: take.Pos}
		} else {
			f.NoFix = "the lock is not taken in the same function"
		}
		other = g.reader(u)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: other.at, Does: "holds the read lock and " + other.does, Memory: other.leaves("A")},
			{Actor: "goroutine B", Pos: u.acc.Pos, Does: "holds the read lock too and changes " + place, Memory: other.clash("B", "A")},
		}
	case acquire != nil && acquire.Cancellable:
		f.Variant = "cancellable"
		f.Sentence = fmt.Sprintf("%s changes %s before it waits for %s: if the wait is given up here, memory keeps the change that was never saved", f.Func, changes, lock)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: other.at, Does: "holds " + lock + " and " + other.does},
			{Actor: "goroutine B", Pos: u.acc.Pos, Does: "changes " + place + " without it", Memory: "the change of B"},
			{Actor: "goroutine B", Pos: acquire.Pos, Does: "waits, gives up and returns an error; the change stays", Memory: "the change of B, although B has failed"},
		}
		r.move(acquire, f, u)
	case acquire != nil:
		f.Variant = "before"
		f.Sentence = fmt.Sprintf("%s changes %s before it takes %s: who holds the lock meets the change half done or overwrites it", f.Func, changes, lock)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: other.at, Does: "holds " + lock + " and " + other.does, Memory: other.leaves("A")},
			{Actor: "goroutine B", Pos: u.acc.Pos, Does: "changes " + place + " at the same time", Memory: other.clash("B", "A")},
			{Actor: "goroutine B", Pos: acquire.Pos, Does: "takes " + lock + ", too late"},
		}
		r.move(acquire, f, u)
	default:
		f.Variant = "after"
		f.Sentence = fmt.Sprintf("%s changes %s after it has released %s: who takes the lock meets the change half done or overwrites it", f.Func, changes, lock)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: release.Pos, Does: "releases " + lock},
			{Actor: "goroutine B", Pos: other.at, Does: "takes it and " + other.does, Memory: other.leaves("B")},
			{Actor: "goroutine A", Pos: u.acc.Pos, Does: "changes " + place + " at the same time", Memory: other.clash("A", "B")},
		}
		r.move(release, f, u)
	}
	r.add(f, g, g.inMemory(u))
}

// inMemory reports whether nothing that a use changes is saved to a file.
func (g *guard) inMemory(u *use) bool { return g.memory || !g.changesFile(u.fn()) && !g.saved() }

// recheck reports an entry that is made without looking again.
func (r *report) recheck(u *use, l *look, g *guard) {
	f := g.finding(u)
	if r.places[f.Pos] {
		return
	}
	place, lock := u.Place.String(), u.Lock.String()
	since, lets := "has released "+lock+" since", " and releases "+lock
	if m := l.Held[u.Lock]; m != locks.Reading && m != locks.Writing {
		since, lets = "had not taken "+lock+" then", " without "+lock
	}
	f.Variant, f.Severity = "recheck", finding.Warning
	_, field := u.acc.Instr.(*ssa.Store)
	switch {
	case field:
		f.Sentence = fmt.Sprintf("%s sets %s because an earlier look found it unset, but %s: two callers go on, and the second undoes what the first has begun", f.Func, place, since)
	case refuses(*l, u.Instr.Block()):
		f.Sentence = fmt.Sprintf("%s enters what it made into %s because a look found nothing there, but %s: the second of two callers replaces what the first has entered, and neither gets the error", f.Func, place, since)
	default:
		f.Sentence = fmt.Sprintf("%s enters a new object into %s because an earlier look found none, but %s: the second of two callers replaces what the first has got", f.Func, place, since)
	}
	f.NoFix = "the look has to move under the lock, with what depends on it"
	if _, lookup := l.Instr.(*ssa.Lookup); lookup && l.Held[u.Lock] != locks.Unknown {
		f.NoFix = "which of the two objects the function goes on with only its author can say: look again once " + lock + " is taken, and enter only where there is none by then"
		f.Severity = ""
	}
	f.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: l.Pos, Does: "looks at " + place + ", finds nothing" + lets, Memory: "nothing"},
		{Actor: "goroutine B", Pos: l.Pos, Does: "looks, finds nothing, enters its own and uses it", Memory: "that of B"},
		{Actor: "goroutine A", Pos: f.Pos, Does: "enters another one; what B has is in no place any more", Memory: "that of A, and not that of B"},
	}
	r.add(f, g, g.inMemory(u))
}

// unguarded reports a use of elements without the lock, unless the function has a finding about the
// lock already.
func (r *report) unguarded(b bareUse, g *guard) {
	f := g.finding(b.use)
	f.Func, f.Variant, f.Severity = memory.FuncName(b.in()), "unguarded", finding.Warning
	f.Pos, f.End = extent(b.acc.Func.SSA, b.acc.Pos)
	by := memory.FuncName(b.fn())
	if r.places[f.Pos] || slices.ContainsFunc(r.list, func(o *finding.Finding) bool { return (o.Func == f.Func || o.Func == by) && r.about[o].lock == g.lock }) {
		return
	}
	name, sees := b.acc.Var.Name(), "it may read elements that are no longer or not yet there"
	if _, ok := b.acc.Var.Type().Underlying().(*types.Map); ok {
		sees = "Go ends the program when a map is used and changed at a time"
		if b.does != looksInto {
			f.Severity = finding.Error
		}
	}
	f.NoFix = "who calls the function may have the lock one day, and would wait for itself"
	f.Sentence = fmt.Sprintf("%s %s %s without %s, under which %s changes it: %s", f.Func, b.does, name, g.lock, memory.FuncName(b.writer.fn()), sees)
	f.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: b.writer.seenFrom(b.use), Does: "holds " + g.lock + " and changes " + b.writer.Place.String(), Memory: "half of the change of A"},
		{Actor: "goroutine B", Pos: b.acc.Pos, Does: b.does.String() + " " + name + " at the same time", Memory: "the change of A, of which B has seen a part"},
	}
	r.add(f, g, false)
}

// maxEvidence bounds the functions that are named.
const maxEvidence = 4

// finding fills what all findings share.
func (g *guard) finding(u *use) *finding.Finding {
	f := &finding.Finding{Check: Name, Func: memory.FuncName(u.Func.SSA)}
	f.Pos, f.End = extent(u.Func.SSA, u.site())
	under, all := g.others(g.held, u), g.others(g.uses, u)
	f.Claim = fmt.Sprintf("guarded by %s, in %d of %d other functions", g.lock, len(under), len(all))
	if g.declared.IsValid() {
		f.Evidence = append(f.Evidence, finding.Evidence{Pos: g.declared, Text: "its comment says so"})
	}
	for _, h := range under[:min(len(under), maxEvidence)] {
		f.Evidence = append(f.Evidence, finding.Evidence{Pos: h.seenFrom(u), Text: fmt.Sprintf("%s %s it under %s", memory.FuncName(h.fn()), h.does(), h.Lock)})
	}
	return f
}

// A deed is what somebody does under the lock.
type deed struct {
	at      token.Pos
	does    string
	changes bool
}

func (u *use) deed(at token.Pos) deed {
	return deed{at, u.does() + " " + u.Place.String(), u.acc.Write}
}

func (u *use) does() string {
	if u.acc.Write {
		return "changes"
	}
	return "reads"
}

// leaves is what memory holds after the deed, empty if that is nothing new.
func (d deed) leaves(who string) string {
	if d.changes {
		return "the change of " + who
	}
	return ""
}

// clash is what memory holds when somebody else makes a change during the deed.
func (d deed) clash(changer, who string) string {
	if d.changes {
		return "one of the two changes"
	}
	return "the change of " + changer + ", of which " + who + " has seen a part"
}

// other is what another function does under the lock: a change if there is any.
func (g *guard) other(u *use) deed {
	best := g.best(u, func(*use) bool { return true })
	if best == nil {
		return deed{at: g.declared, does: "uses " + u.Place.String()}
	}
	return best.deed(best.seenFrom(u))
}

// reader is what somebody does who has the lock for reading together with u: what
// another function does, or u itself once more.
func (g *guard) reader(u *use) deed {
	if best := g.best(u, func(h *use) bool { return h.mode == locks.Reading }); best != nil {
		return best.deed(best.acc.Pos)
	}
	return u.deed(u.acc.Pos)
}

// best is such a use of another function, a change if there is any.
func (g *guard) best(u *use, such func(*use) bool) *use {
	var best *use
	for _, h := range g.held {
		if h.Func != u.Func && such(h) && (best == nil || h.acc.Write && !best.acc.Write) {
			best = h
		}
	}
	return best
}

// seenFrom is where a use stands in an explanation of u: a call that leads to the place
// of u itself stands for its own function.
func (h *use) seenFrom(u *use) token.Pos {
	if h.acc.Pos == u.acc.Pos {
		return h.site()
	}
	return h.acc.Pos
}

// site is where a use stands in the function that knows how the lock stands.
func (u *use) site() token.Pos {
	if u.Direct() {
		return u.acc.Pos
	}
	return cmp.Or(u.Instr.Pos(), u.acc.Pos)
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
