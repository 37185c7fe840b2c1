package latelock

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A report gathers the findings, one at a place. Changes that are fixed by
// moving the same lock operation share their remedy.
type report struct {
	log   *verdict.Log
	list  []*finding.Finding
	moves map[*locks.Event][]moved
	locks map[*finding.Finding]string // by their names
	// tolds and places are what has told and has know of the list.
	tolds  map[told]bool
	places map[token.Pos]bool
	// ofMemory are those about memory alone.
	ofMemory []*finding.Finding
}

// A moved is a finding that is fixed by a move, and where the change stands.
type moved struct {
	finding *finding.Finding
	at      token.Pos
}

func (r *report) add(u *use, f *finding.Finding, g *guard) {
	if r.has(f) {
		return
	}
	if g.memory || !g.saved(u) {
		r.ofMemory = append(r.ofMemory, f)
	}
	r.keep(f, g)
}

// thinOut leaves of the findings about memory alone the first of a function and a lock: that is
// enough to see what has to move.
func (r *report) thinOut() {
	for _, f := range r.ofMemory {
		first := !slices.ContainsFunc(r.ofMemory, func(o *finding.Finding) bool {
			return o.Func == f.Func && o.Variant == f.Variant && r.locks[o] == r.locks[f] && o.Pos < f.Pos
		})
		if !first {
			r.list = slices.DeleteFunc(r.list, func(o *finding.Finding) bool { return o == f })
		} else if r.candidate(f).Says(inMemory, f.Pos, "it is saved to no file, as far as is seen") {
			f.Severity = finding.Warning
		}
	}
}

// keep takes a finding into the list, with what speaks for it.
func (r *report) keep(f *finding.Finding, g *guard) {
	r.take(f, g.lock)
	if !r.log.Keeps() {
		return
	}
	for _, e := range f.Evidence {
		by := mostHold
		if e.Pos == g.declared {
			by = declaredSo
		}
		r.candidate(f).Says(by, e.Pos, e.Text)
	}
}

// take takes a finding about a lock of some name into the list.
func (r *report) take(f *finding.Finding, lock string) {
	if r.locks == nil {
		r.locks, r.tolds, r.places = map[*finding.Finding]string{}, map[told]bool{}, map[token.Pos]bool{}
	}
	r.list = append(r.list, f)
	r.locks[f] = lock
	r.tolds[told{f.Func, f.Variant, lock}] = true
	r.places[f.Pos] = true
}

// candidate is the place of a finding.
func (r *report) candidate(f *finding.Finding) *verdict.Candidate {
	return r.log.Candidate(Name, f.Pos, f.Func).Is(f.Variant)
}

// silent notes a rule against changes, and reports whether it is asked.
func (r *report) silent(us []*use, by *verdict.Rule, pos token.Pos, text string) bool {
	if !r.log.Asks(by) {
		return false
	}
	if r.log.Keeps() {
		for _, u := range us {
			at, _ := extent(u.f.SSA, u.site())
			r.log.Candidate(Name, at, memory.FuncName(u.f.SSA)).Says(by, cmp.Or(pos, u.Pos), text)
		}
	}
	return true
}

// told reports whether the function has such a finding about the lock already.
func (r *report) told(f *finding.Finding, g *guard) bool {
	return r.tolds[told{f.Func, f.Variant, g.lock}]
}

// A told is what findings have in common of which one is enough in some cases.
type told struct{ fn, variant, lock string }

func (r *report) has(f *finding.Finding) bool { return r.places[f.Pos] }

// findings hands out the remedies: all changes around one lock operation move
// together.
func (r *report) findings() []*finding.Finding {
	r.thinOut()
	for ev, changes := range r.moves {
		var places []token.Pos
		for _, c := range changes {
			places = append(places, c.at)
		}
		slices.Sort(places)
		body := effects.BodyOf(ev.Instr.Parent())
		for _, c := range changes {
			f := c.finding
			if ev.Mode == locks.Free {
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
		return cmp.Or(u.Instr.Pos(), u.Pos) // deferred calls run where nothing is written
	}
	return u.Pos
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

// A guard is what is known of a lock and a place.
type guard struct {
	log      *verdict.Log
	lock     string
	declared token.Pos // of the comment that says so
	all      []*use
	held     []*use          // those under the lock
	memory   bool            // no file stands behind it
	saved    func(*use) bool // it is saved to a file, or who changes it changes the file that the object names
}

// isProven reports whether enough speaks for a change outside of the lock, where no file
// stands behind the place: others use the place under the lock, and one of them changes it
// there.
func (g *guard) isProven(u *use) bool {
	others := g.others(g.held, u)
	if u.underReaders() {
		return len(others) > 0
	}
	return len(others) > 1 && (tooLate(u) != nil || slices.ContainsFunc(others, func(o *use) bool { return o.Write }))
}

// underReaders reports whether a use has the lock together with others.
func (u *use) underReaders() bool { return u.mode == locks.Reading }

// change reports a change outside of the lock.
func (r *report) change(u *use, g *guard) {
	f := g.about(u)
	if r.has(f) {
		return
	}
	place, lock := u.Place.String(), u.lock.String()
	changes := place + where(u)
	if !u.Write {
		r.looked(u, f, g)
		return
	}
	other := g.other(u)
	switch early, late := taken(u), tooLate(u); {
	case u.mode == locks.Reading:
		f.Variant = "readlock"
		f.Sentence = fmt.Sprintf("%s changes %s while it holds only the read lock of %s, which others hold at the same time", f.Func, changes, lock)
		if take := takenBefore(u); take != nil {
			f.Remedy = finding.LockToWrite{Body: effects.BodyOf(outermost(u.f.SSA)), Lock: take.Pos}
		} else {
			f.NoFix = "the lock is not taken in the same function"
		}
		other := g.reader(u)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: other.at, Does: "holds the read lock and " + other.does, Memory: other.leaves("A")},
			{Actor: "goroutine B", Pos: u.Pos, Does: "holds the read lock too and changes " + place, Memory: other.clash("B", "A")},
		}
	case early != nil && early.Cancellable:
		f.Variant = "cancellable"
		f.Sentence = fmt.Sprintf("%s changes %s before it waits for %s: if the wait is given up here, memory keeps the change that was never saved", f.Func, changes, lock)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: other.at, Does: "holds " + lock + " and " + other.does},
			{Actor: "goroutine B", Pos: u.Pos, Does: "changes " + place + " without it", Memory: "the change of B"},
			{Actor: "goroutine B", Pos: early.Pos, Does: "waits, gives up and returns an error; the change stays", Memory: "the change of B, although B has failed"},
		}
		r.move(early, f, u.site())
	case early != nil:
		f.Variant = "before"
		f.Sentence = fmt.Sprintf("%s changes %s before it takes %s: who holds the lock meets the change half done or overwrites it", f.Func, changes, lock)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: other.at, Does: "holds " + lock + " and " + other.does, Memory: other.leaves("A")},
			{Actor: "goroutine B", Pos: u.Pos, Does: "changes " + place + " at the same time", Memory: other.clash("B", "A")},
			{Actor: "goroutine B", Pos: early.Pos, Does: "takes " + lock + ", too late"},
		}
		if tooEarly(u) == nil {
			f.Severity, f.NoFix = finding.Warning, "the lock is taken in what the function calls"
		} else {
			r.move(early, f, u.site())
		}
	default:
		f.Variant = "after"
		f.Sentence = fmt.Sprintf("%s changes %s after it has released %s: who takes the lock meets the change half done or overwrites it", f.Func, changes, lock)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: late.Pos, Does: "releases " + lock},
			{Actor: "goroutine B", Pos: other.at, Does: "takes it and " + other.does, Memory: other.leaves("B")},
			{Actor: "goroutine A", Pos: u.Pos, Does: "changes " + place + " at the same time", Memory: other.clash("A", "B")},
		}
		if startsBehind(u) {
			if f.Severity = finding.Warning; r.told(f, g) {
				return // one is enough to see what has to move
			}
		}
		r.move(late, f, u.site())
	}
	r.add(u, f, g)
}

// overwrite reports a look of which a call under the lock makes a change.
func (r *report) overwrite(u *use, call *locks.Event, g *guard) {
	f := g.about(u)
	place, lock := u.Place.String(), u.lock.String()
	f.Variant, f.Severity = "look", finding.Warning
	f.NoFix = "the look and the call have to come under one lock"
	f.Sentence = fmt.Sprintf("%s looks at %s without %s, and has it changed under the lock to what it made of that: what others have changed in between is lost", f.Func, place, lock)
	f.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: u.Pos, Does: "looks at " + place + " without " + lock, Memory: "what A goes by"},
		{Actor: "goroutine B", Pos: call.Pos, Does: "takes " + lock + " and changes " + place, Memory: "the change of B"},
		{Actor: "goroutine A", Pos: call.Pos, Does: "takes " + lock + " and changes " + place + " to what it made before", Memory: "the change of A, and not that of B"},
	}
	r.add(u, f, g)
}

// looked reports a look outside of the lock.
func (r *report) looked(u *use, f *finding.Finding, g *guard) {
	place, lock, other := u.Place.String(), u.lock.String(), g.other(u)
	f.Variant, f.Severity = "look", finding.Warning
	f.NoFix = "what depends on the look has to move under the lock with it"
	if early := taken(u); early != nil {
		f.Sentence = fmt.Sprintf("%s looks at %s before it takes %s: what it goes by may be half changed, or no longer so when it has the lock", f.Func, place, lock)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: u.Pos, Does: "looks at " + place + " without " + lock},
			{Actor: "goroutine B", Pos: other.at, Does: "holds " + lock + " and " + other.does, Memory: other.leaves("B")},
			{Actor: "goroutine A", Pos: early.Pos, Does: "takes " + lock + " and goes by what it has seen"},
		}
	} else {
		f.Sentence = fmt.Sprintf("%s looks at %s after it has released %s: what it goes by may be half changed by who has the lock now", f.Func, place, lock)
		f.Schedule = []finding.Step{
			{Actor: "goroutine A", Pos: tooLate(u).Pos, Does: "releases " + lock},
			{Actor: "goroutine B", Pos: other.at, Does: "takes it and " + other.does, Memory: other.leaves("B")},
			{Actor: "goroutine A", Pos: u.Pos, Does: "looks at " + place + " at the same time"},
		}
	}
	r.add(u, f, g)
}

// where names the function that makes a change, if it is called by the one that
// answers for it.
func where(u *use) string {
	in := outermost(u.In)
	if in == outermost(u.f.SSA) {
		return ""
	}
	return ", in " + memory.FuncName(in) + ","
}

// move notes that a finding is fixed by moving past a lock operation.
func (r *report) move(ev *locks.Event, f *finding.Finding, at token.Pos) {
	if r.moves == nil {
		r.moves = map[*locks.Event][]moved{}
	}
	r.moves[ev] = append(r.moves[ev], moved{f, at})
}

// across is another lock for writers that is held from a look to what is entered because of it;
// empty for none.
func across(u *use, l *look) string {
	var names []string
	for lock, m := range l.Held {
		if lock != u.lock && m == locks.Writing && u.Held[lock] == locks.Writing && apart(u.f, lock, l.Instr, u.Instr) == nil {
			names = append(names, lock.String())
		}
	}
	return strings.Join(slices.Sorted(slices.Values(names)), ", ")
}

// recheck reports an entry that is made without looking again.
func (r *report) recheck(c *checker, u *use, l *look, again *locks.Access, g *guard) {
	if again != nil {
		r.silent([]*use{u}, looksOnceMore, again.Pos, "the place is looked at again")
		return
	}
	if other := across(u, l); other != "" && r.silent([]*use{u}, anotherLock, l.Pos, other+" is held from the look on") {
		return
	}
	f := g.about(u)
	place, lock := u.Place.String(), u.lock.String()
	since, lets := "has released "+lock+" since", " and releases "+lock
	if m := l.Held[u.lock]; m != locks.Reading && m != locks.Writing {
		since, lets = "had not taken "+lock+" then", " without "+lock
	}
	f.Variant = "recheck"
	switch _, entered := u.Instr.(*ssa.Store); {
	case !entered && !c.fresh(u.f, entryOf(u)) && c.carried(u.f, entryOf(u)) == nil:
		f.Sentence = fmt.Sprintf("%s enters what it made into %s because a look found nothing there, but %s: the second of two callers replaces what the first has entered, and neither gets the error", f.Func, place, since)
	case !entered:
		f.Sentence = fmt.Sprintf("%s enters a new object into %s because an earlier look found none, but %s: the second of two callers replaces what the first has got", f.Func, place, since)
	default:
		f.Sentence = fmt.Sprintf("%s sets %s because an earlier look found it unset, but %s: two callers go on, and the second undoes what the first has begun", f.Func, place, since)
	}
	f.NoFix, f.Severity = "the look has to move under the lock, with what depends on it", finding.Warning
	if look, ok := l.Instr.(*ssa.Lookup); ok {
		if take := apart(u.f, u.lock, look, u.Instr); take != nil && l.Held[u.lock] != locks.Unknown {
			f.NoFix, f.Severity = "which of the two objects the function goes on with only its author can say: look again once "+lock+" is taken, and enter only where there is none by then", ""
		}
	}
	f.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: l.Pos, Does: "looks at " + place + ", finds nothing" + lets, Memory: "nothing"},
		{Actor: "goroutine B", Pos: l.Pos, Does: "looks, finds nothing, enters its own and uses it", Memory: "that of B"},
		{Actor: "goroutine A", Pos: f.Pos, Does: "enters another one; what B has is in no place any more", Memory: "that of A, and not that of B"},
	}
	r.add(u, f, g)
}

// entryOf is the value that a use enters, nil where it cannot be told.
func entryOf(u *use) ssa.Value {
	made, _ := entryAt(u.Access)
	return made.value
}

// escape reports an element that is changed behind the lock.
func (r *report) escape(u *use, change *locks.Access, g *guard) {
	f := g.about(u)
	place, lock := u.Place.String(), u.lock.String()
	grown := grows(g.held, u)
	if grown == nil {
		return
	}
	f.Pos, f.End = extent(u.f.SSA, change.Instr.Pos())
	f.Variant = "escaped"
	f.Sentence = fmt.Sprintf("%s changes an element of %s that it found before it released %s: when the slice has changed meanwhile, the change goes to an array that nobody reads or saves", f.Func, place, lock)
	f.NoFix = "the element has to be found again under the lock, by what tells it from others, and may be gone"
	f.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: u.Pos, Does: "takes the address of an element of " + place + " and releases " + lock, Memory: "the array with that element"},
		{Actor: "goroutine B", Pos: grown.Pos, Does: "replaces " + grown.Place.String() + " under the lock", Memory: "another array"},
		{Actor: "goroutine A", Pos: f.Pos, Does: "changes the element in the array that was left", Memory: "the other array, without the change of A"},
	}
	r.add(u, f, g)
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
func (g *guard) about(u *use) *finding.Finding {
	f := &finding.Finding{Check: Name, Func: memory.FuncName(u.f.SSA)}
	f.Pos, f.End = extent(u.f.SSA, u.site())
	under, all := g.others(g.held, u), g.others(g.all, u)
	f.Claim = fmt.Sprintf("guarded by %s, in %d of %d other functions", g.lock, len(under), len(all))
	if g.declared.IsValid() {
		f.Evidence = append(f.Evidence, finding.Evidence{Pos: g.declared, Text: "its comment says so"})
	}
	for _, h := range under[:min(len(under), maxEvidence)] {
		f.Evidence = append(f.Evidence, finding.Evidence{Pos: h.seenFrom(u), Text: fmt.Sprintf("%s %s it under %s", memory.FuncName(outermost(h.f.SSA)), does(h), h.lock)})
	}
	return f
}

// maxEvidence bounds the functions that are named.
const maxEvidence = 4

// isCustomary reports whether most of the other functions that use the place have the
// lock then.
func (g *guard) isCustomary(u *use) bool {
	return g.declared.IsValid() || g.log.Asks(mostHold) && 2*len(g.others(g.held, u)) > len(g.others(g.all, u))
}

// seenFrom is where h stands in an explanation of u: a call that leads to the place
// of u itself stands for its own function.
func (h *use) seenFrom(u *use) token.Pos {
	if h.Pos == u.Pos {
		return h.site()
	}
	return h.Pos
}

// others lists one use for every other function, a change if it makes one.
func (g *guard) others(us []*use, u *use) []*use {
	here := outermost(u.f.SSA)
	var list []*use
	for _, u := range us {
		fn := outermost(u.f.SSA)
		i := slices.IndexFunc(list, func(o *use) bool { return outermost(o.f.SSA) == fn })
		switch {
		case fn == here || !u.covered() && promised(g.log, u) != nil:
		case i < 0:
			list = append(list, u)
		case u.Write && !list[i].Write:
			list[i] = u
		}
	}
	return list
}

// covered reports whether a use has the lock that it needs.
func (u *use) covered() bool { return u.mode == locks.Writing || u.mode == locks.Reading && !u.Write }

// A deed is what somebody does under the lock.
type deed struct {
	at      token.Pos
	does    string
	changes bool
}

func (h *use) deed(at token.Pos) deed {
	return deed{at, does(h) + " " + h.Place.String(), h.Write}
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
		return best.deed(best.Pos)
	}
	return u.deed(u.Pos)
}

// best is such a use of another function, a change if there is any.
func (g *guard) best(u *use, such func(*use) bool) *use {
	var best *use
	for _, h := range g.held {
		if h.f != u.f && such(h) && (best == nil || h.Write && !best.Write) {
			best = h
		}
	}
	return best
}

func does(u *use) string {
	if u.Write {
		return "changes"
	}
	return "reads"
}
