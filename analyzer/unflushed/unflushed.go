package unflushed

import (
	_ "embed"
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

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
const Name = "unflushed"

// Run reports, of each function, the unlocks and syncs that come too early. One
// that is seen from several functions is reported where it is nearest.
func Run(p *effects.Package, x *evidence.Index) []*finding.Finding {
	c := &checker{p: p, x: x, byPos: map[token.Pos]*candidate{}}
	for _, f := range p.Funcs {
		for _, e := range f.Effects {
			if e.Call == nil || e.Foreign != "" || e.When == effects.Spawned {
				continue
			}
			if e.Kind == effects.Unlock || e.Kind == effects.Release {
				c.add(f, e, c.unlock(f, e))
			}
		}
	}
	var out []*finding.Finding
	for _, pos := range c.order {
		k := c.byPos[pos]
		k.look.Is(k.finding.Variant).Reported = true
		out = append(out, k.finding)
	}
	return out
}

type checker struct {
	p     *effects.Package
	x     *evidence.Index
	order []token.Pos
	byPos map[token.Pos]*candidate
}

// A candidate is a finding, and how many calls lead to what it speaks of.
type candidate struct {
	finding *finding.Finding
	look    *verdict.Candidate
	calls   int
}

// idle reports whether a place of which a rule speaks need not be looked at: the rule is
// asked, and nobody wants to know of what.
func (c *checker) idle(r *verdict.Rule) bool { return c.x.Log().Asks(r) && !c.x.Log().Keeps() }

// at is the place in f where an effect comes about, as a candidate.
func (c *checker) at(f *effects.Func, e *effects.Effect) *verdict.Candidate {
	if call := e.Here(); call != nil {
		return c.x.Log().Candidate(Name, call.Pos(), f.Name())
	}
	return c.x.Candidate(Name, e)
}

func (c *checker) add(f *effects.Func, e *effects.Effect, found *finding.Finding) {
	if found == nil {
		return
	}
	look := c.x.Log().Candidate(Name, found.Pos, found.Func)
	k := &candidate{found, look, len(e.Via)}
	old := c.byPos[found.Pos]
	if old == nil {
		c.order = append(c.order, found.Pos)
	}
	if old == nil || k.calls < old.calls {
		c.byPos[found.Pos] = k
	}
}

// unlock judges one unlock: what was written under the lock is flushed
// afterwards, or all of the file is written then.
func (c *checker) unlock(f *effects.Func, u *effects.Effect) *finding.Finding {
	l := taken(f, u)
	if l == nil {
		return nil
	}
	for _, late := range f.Effects {
		if !effects.Follows(u, late) || inOneCall(u, late) || late.Foreign != "" || late.Call == nil {
			continue
		}
		if !flushes(late) && !writesDeferred(u, late) {
			continue
		}
		again := retaken(f, u, late)
		if again != nil && c.idle(lockedAgain) {
			continue
		}
		var w *effects.Effect
		if flushes(late) {
			w = c.pending(f, l, u, late)
		} else if c.deferredWrite(f, l, u, late) {
			w = late
		}
		if w != nil && !(again != nil && c.at(f, u).Says(lockedAgain, again.Pos, "a lock is taken before it is written")) {
			return c.report(f, l, u, w, late)
		}
	}
	return nil
}

// inOneCall reports whether a declared function that is called has both effects:
// then the order is its own.
func inOneCall(a, b *effects.Effect) bool {
	return len(a.Via) > 0 && len(b.Via) > 0 && a.Via[0] == b.Via[0]
}

// taken is the lock that u releases.
func taken(f *effects.Func, u *effects.Effect) *effects.Effect {
	kind := effects.Lock
	if u.Kind == effects.Release {
		kind = effects.Acquire
	}
	for _, l := range f.OfKind(kind) {
		if l.When == effects.Inline && effects.Follows(l, u) && sameLock(l, u) {
			return l
		}
	}
	return nil
}

func sameLock(a, b *effects.Effect) bool {
	return a.Handle != nil && b.Handle != nil && a.Handle.Equal(b.Handle)
}

// retaken is a lock that is taken between the unlock and what comes late, and held then: the
// same one, or one for the file. It is nil for none.
func retaken(f *effects.Func, u, late *effects.Effect) *effects.Effect {
	return first(f.OfKind(effects.Lock, effects.Acquire), func(l *effects.Effect) bool {
		if !effects.Follows(u, l) || !effects.Follows(l, late) && !effects.Reaches(l, late) {
			return false
		}
		if sameLock(l, u) || l.Handle == nil || late.Handle == nil {
			return true
		}
		return guard(f, l, late) != "" && first(f.OfKind(effects.Unlock, effects.Release), func(o *effects.Effect) bool {
			return sameLock(l, o) && effects.Follows(l, o) && effects.Follows(o, late)
		}) == nil
	})
}

// surely reports whether b follows a wherever nothing has failed: nothing but errors, and the
// end of a loop around a, decides whether it does.
func surely(f *effects.Func, a, b *effects.Effect) bool {
	if !effects.Reaches(a, b) {
		return false
	}
	if a.At == nil || b.At == nil || a.At.Parent() != b.At.Parent() {
		return true
	}
	known := flow.Conditions(a.At.Block())
	return !slices.ContainsFunc(flow.Conditions(b.At.Block()), func(cond flow.Condition) bool {
		at, ok := cond.Value.(ssa.Instruction)
		return !slices.Contains(known, cond) && !ofError(cond.Value) && !(ok && f.Reaches(at, a.At))
	})
}

// ofError reports whether a condition asks whether there is an error.
func ofError(v ssa.Value) bool {
	cmp, ok := v.(*ssa.BinOp)
	return ok && (memory.IsErrorType(cmp.X.Type()) || memory.IsErrorType(cmp.Y.Type()))
}

// drained is where a writer is flushed between each write and the end, nil where it is not.
func drained(f *effects.Func, writes, flushes []*effects.Effect, end *effects.Effect) (last *effects.Effect) {
	for _, fl := range flushes {
		if effects.Reaches(fl, end) {
			last = fl
		}
	}
	for _, w := range writes {
		if effects.Reaches(w, end) &&
			first(flushes, func(fl *effects.Effect) bool { return surely(f, w, fl) && effects.Reaches(fl, end) }) == nil {
			return nil
		}
	}
	return last
}

// first is the first of the effects for which ok holds, nil for none.
func first(list []*effects.Effect, ok func(*effects.Effect) bool) *effects.Effect {
	if i := slices.IndexFunc(list, ok); i >= 0 {
		return list[i]
	}
	return nil
}

// flushes reports whether the effect ends a buffered writer: it is flushed, or
// closed. The handle of a plain file holds nothing back.
func flushes(e *effects.Effect) bool {
	return e.Kind == effects.Flush || e.Kind == effects.Close && e.Handle != nil && e.Handle.Kind == pathexpr.Wrap
}

// pending is the write under the lock that the flush brings to the file, nil
// where there is none or the lock has nothing to do with the file.
func (c *checker) pending(f *effects.Func, l, u, flush *effects.Effect) *effects.Effect {
	if flush.Handle == nil {
		return nil
	}
	var writes, early []*effects.Effect
	for _, w := range f.Effects {
		switch {
		case w.Kind == effects.Write && through(w, flush.Handle) && under(f, l, u, w) && effects.Reaches(w, u):
			writes = append(writes, w)
		case w != flush && flushes(w) && w.Handle.Equal(flush.Handle) && effects.Reaches(w, u) && effects.Reaches(l, w):
			early = append(early, w)
		}
	}
	if len(writes) == 0 {
		return nil
	}
	found, flushed := writes[0], drained(f, writes, early, u)
	if flushed != nil && c.idle(flushedBefore) || !c.guards(f, l, u, flush) ||
		flushed != nil && c.at(f, u).Says(flushedBefore, flushed.Pos, "it is flushed under the lock, too") {
		return nil
	}
	return found
}

// under reports whether the lock that l takes and u releases is held at an effect: it is not where
// the effect, in a loop, comes behind both each time round.
func under(f *effects.Func, l, u, e *effects.Effect) bool {
	return effects.Before(l, e) && (!effects.Before(u, e) || first(f.OfKind(effects.Lock, effects.Acquire), func(o *effects.Effect) bool {
		return sameLock(l, o) && effects.Before(u, o) && effects.Before(o, e)
	}) != nil)
}

// through reports whether a write goes through the writer w.
func through(e *effects.Effect, w *pathexpr.Term) bool {
	for t := e.Handle; t != nil; t = t.Args[0] {
		if t.Equal(w) {
			return true
		}
		if t.Kind != pathexpr.Wrap || len(t.Args) == 0 {
			return false
		}
	}
	return false
}

// guards reports whether the lock is one for what is flushed.
func (c *checker) guards(f *effects.Func, l, u, flush *effects.Effect) bool {
	text := guard(f, l, flush)
	if text == "" || !c.at(f, u).Says(lockForFile, l.Pos, text) {
		return false
	}
	path := flush.Handle.Path()
	fresh := path.Has(pathexpr.Fresh) || path.Last().Has(pathexpr.Random)
	return !(fresh && c.at(f, u).Says(freshPlace, flush.Pos, "nobody else knows the file"))
}

// guard says why a lock is one for what is flushed; empty if nothing says so. A lock between processes
// is, if it is on the file or beside it. So is any lock that is a field beside the writer, and one that
// was held when the file was opened.
func guard(f *effects.Func, l, flush *effects.Effect) string {
	h := flush.Handle.File()
	switch {
	case l.Kind == effects.Lock && (f.LockOf(l, h) || effects.Beside(l, flush.Handle.Path())):
		return "the lock is on the file, or on one beside it"
	case h.Kind != pathexpr.Handle:
		if beside(l.Handle, flush.Handle) {
			return "the lock stands beside the writer"
		}
	case slices.ContainsFunc(f.Effects, func(o *effects.Effect) bool { return o.ReturnsHandle && o.On(h) && effects.Before(l, o) }):
		return "the lock is held when the file is opened"
	}
	return ""
}

// beside reports whether two terms are fields of one value, or variables of one
// package.
func beside(a, b *pathexpr.Term) bool {
	switch {
	case a.Kind == pathexpr.Field && b.Kind == pathexpr.Field:
		return a.Type == b.Type && a.Args[0].Equal(b.Args[0])
	case a.Kind == pathexpr.Field && b.Kind != pathexpr.Global:
		return false // the lock of a part of b, or of what b belongs to
	}
	return a.Kind == pathexpr.Global && b.Kind == pathexpr.Global
}

// deferredWrite reports whether a deferred call writes the file that the lock is
// for, after the deferred unlock.
func (c *checker) deferredWrite(f *effects.Func, l, u, late *effects.Effect) bool {
	if !writesDeferred(u, late) {
		return false
	}
	path := late.Path.Path()
	if l.Kind == effects.Lock {
		return effects.Beside(l, path)
	}
	field := l.Handle.Kind == pathexpr.Field && path.Any(func(t *pathexpr.Term) bool { return beside(l.Handle, t) })
	own := locks(f, late)
	if !field || own != nil && c.idle(lockedAgain) {
		return false
	}
	look := c.at(f, u)
	v, _ := c.x.Judge(look, f, late, path, evidence.WriteContext{})
	return v.State && !(own != nil && look.Says(lockedAgain, own.Pos, "the deferred call takes a lock"))
}

// writesDeferred reports whether a deferred call opens a file to write it, and the unlock is
// deferred, too.
func writesDeferred(u, late *effects.Effect) bool {
	if u.When != effects.Deferred || late.When != effects.Deferred || late.Path == nil {
		return false
	}
	switch late.Kind {
	case effects.Truncate, effects.Replace, effects.Append, effects.Open:
		return true
	}
	return false
}

// locks is a lock that the deferred call which has the effect takes by itself, nil for
// none.
func locks(f *effects.Func, late *effects.Effect) *effects.Effect {
	return first(f.OfKind(effects.Lock, effects.Acquire), func(l *effects.Effect) bool {
		return l.When == effects.Deferred && effects.Reaches(l, late)
	})
}

// report makes the finding of an unlock.
func (c *checker) report(f *effects.Func, l, u, w, late *effects.Effect) *finding.Finding {
	fd := about(u)
	if at := u.Here(); at != nil {
		fd.Pos, fd.End, fd.Func = at.Pos(), at.End(), f.Name()
	}
	fd.Variant = "unlock"
	if u.When == effects.Deferred {
		fd.Variant = "defers"
	}
	what, who, does := name(late), others(l), "takes the lock, and fills a buffer"
	fd.Claim = "is guarded by the lock"
	fd.Evidence = []finding.Evidence{{Pos: l.Pos, Text: memory.FuncName(l.In) + " takes the lock"}}
	if w == late {
		fd.Sentence = fmt.Sprintf("%s releases the lock on %s before the deferred write of it: %s can have the lock "+
			"when it is written", fd.Func, what, who)
		does = "takes the lock, and writes nothing yet"
	} else {
		fd.Sentence = fmt.Sprintf("%s releases the lock on %s before what it wrote is flushed: the bytes reach the "+
			"file when %s can have the lock", fd.Func, what, who)
		fd.Evidence = append(fd.Evidence, finding.Evidence{Pos: w.Pos, Text: memory.FuncName(w.In) + " writes to the buffer under it"})
	}
	fd.Schedule = []finding.Step{
		{Actor: "A", Pos: l.Pos, Does: does, Memory: "what A is to write"},
		{Actor: "A", Pos: u.Pos, Does: "releases the lock", File: "nothing of that, or a part"},
		{Actor: "B", Pos: l.Pos, Does: "takes the lock, and reads or writes the file", Acts: []finding.Act{finding.LocksUnflushed}},
		{Actor: "A", Pos: late.Pos, Does: "writes what it had in memory", File: "the bytes of A and B mixed, or what A wrote over B"},
	}
	fd.Remedy, fd.NoFix = published(f, u, late)
	return fd
}

// published asks that the file is published, if f opens it with truncation, or says what is to be
// done instead.
func published(f *effects.Func, u, late *effects.Effect) (finding.Remedy, string) {
	for _, o := range f.Effects {
		if u.When == effects.Deferred && o.Kind == effects.Truncate && o.ReturnsHandle && len(o.Via) == 0 && o.Call != nil && o.On(late.Handle) {
			return finding.FlushPublished{Open: o.Call}, ""
		}
	}
	switch {
	case u.When == effects.Deferred && late.When == effects.Deferred:
		return nil, "defer it after the unlock, so that it runs first; only its author can say whether it has to run " +
			"where the function ends in between"
	case late.When == effects.Deferred:
		return nil, "flush it before the lock is released; only its author can say what to do with its error"
	}
	return nil, "release the lock behind it, and wherever the function leaves in between"
}

// others are who a lock keeps away.
func others(l *effects.Effect) string {
	if l.Kind == effects.Lock {
		return "another process"
	}
	return "another goroutine"
}

// name is the file or the writer, as a reader would write it.
func name(e *effects.Effect) string {
	if e.Handle != nil {
		return e.Handle.Named("its file")
	}
	return e.Path.Named("its file")
}

// about fills what all findings share.
func about(e *effects.Effect) *finding.Finding {
	return &finding.Finding{Check: Name, Pos: e.Call.Pos(), End: e.Call.End(), Func: memory.FuncName(e.In)}
}
