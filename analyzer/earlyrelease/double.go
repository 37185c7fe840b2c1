package earlyrelease

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// doubleRelease reports the files whose existence is a lock and that f removes a second
// time, when the first removal has let another make his own.
func (c *checker) doubleRelease(f *effects.Func) {
	removals, makes := ofKind(f.Effects, effects.Remove), ofKind(f.Effects, effects.CreateExclusive)
	for _, b := range removals {
		for _, a := range removals {
			if a == b || !memory.SameFile(a.Path, b.Path) {
				continue
			}
			var why []verdict.Reason
			if !releasedTwo(c.p, f, a, b, makes) {
				if c.idle(madeBetween) || !releasedTwo(c.p, f, a, b, nil) {
					continue
				}
				c.stops(&why, madeBetween, a.Pos, "it is made again in between")
			}
			if made, claim := c.claimed(f, a.Path, &why); made != nil {
				c.addDouble(f, a, b, made, claim, why)
			}
		}
	}
}

// ofKind are the effects of one kind.
func ofKind(list []*effects.Effect, kind effects.Kind) []*effects.Effect {
	return slices.DeleteFunc(slices.Clone(list), func(e *effects.Effect) bool { return e.Kind != kind })
}

// exclusives are the places that make files exclusively, by the names of these
// that mean the same in the package: their paths, and the fields that keep them.
func (c *checker) exclusives() map[string][]acquire {
	if c.made != nil {
		return c.made
	}
	c.made, c.calls = map[string][]acquire{}, map[token.Pos][]acquire{}
	for _, f := range c.p.Funcs {
		for _, e := range ofKind(f.Effects, effects.CreateExclusive) {
			c.calls[e.Pos] = append(c.calls[e.Pos], acquire{f, e})
			paths := []*pathexpr.Term{e.Path}
			if len(e.Via) == 0 {
				paths = append(paths, handlesOf(c.p, f, e.Path)...)
			}
			for _, path := range paths {
				for _, key := range keys(path) {
					c.made[key] = append(c.made[key], acquire{f, e})
				}
			}
		}
	}
	return c.made
}

// keys are the families of a path, and that of the field which it is, of whatever
// object.
func keys(path *pathexpr.Term) []string {
	list := families(path)
	if key := path.Abstract(); path.Kind == pathexpr.Field && key != "" && !slices.Contains(list, key) {
		list = append(list, key)
	}
	return list
}

// claimed is what makes the file at a path as a lock, and what says that it is
// one; nil where nothing does.
func (c *checker) claimed(f *effects.Func, path *pathexpr.Term, why *[]verdict.Reason) (*effects.Effect, []finding.Evidence) {
	if path == nil {
		return nil, nil
	}
	if isFresh(path) && c.stops(why, freshPlace, f.SSA.Pos(), "nobody else knows the file") {
		return nil, nil
	}
	var list []acquire
	for _, e := range ofKind(f.Effects, effects.CreateExclusive) {
		if memory.SameFile(e.Path, path) {
			list = append(list, acquire{f, e})
		}
	}
	for _, key := range keys(path) {
		for _, a := range c.exclusives()[key] {
			list = append(list, a)
			list = append(list, c.calls[a.lock.Pos]...)
		}
	}
	for _, a := range list {
		if claim := c.x.Claim(a.f, a.lock); len(claim) > 0 {
			return a.lock, claim
		}
	}
	return nil, nil
}

// addDouble reports the second removal, or the first where the second is deferred
// and comes in any case.
func (c *checker) addDouble(f *effects.Func, a, b, made *effects.Effect, claim []finding.Evidence, why []verdict.Reason) {
	first, second := callOf(c.p, f, a), callOf(c.p, f, b)
	if first == nil || second == nil {
		return
	}
	at, path := second, named(a.Path)
	fd := about(b, "twice")
	if b.When == effects.Deferred && a.When != effects.Deferred {
		at = first
	}
	fd.Pos, fd.End, fd.Func = at.Pos(), at.End(), f.Name()
	fd.Sentence = fmt.Sprintf("%s removes the lock file %s twice: who makes it after the first removal loses it by the second, and a third makes it again", fd.Func, path)
	fd.NoFix = "which of the two is to go is for you to say"
	fd.Claim, fd.Evidence = "is a lock", claim
	fd.Schedule = []finding.Step{
		{Actor: "process A", Pos: first.Pos(), Does: "removes the file: the lock is free"},
		{Actor: "process B", Pos: made.Pos, Does: "makes the file and has the lock"},
		{Actor: "process A", Pos: second.Pos(), Does: "removes the file that is B's now"},
		{Actor: "process C", Pos: made.Pos, Does: "makes the file: B and C both have the lock"},
	}
	c.add(&candidate{finding: fd, rank: 1, via: len(a.Via) + len(b.Via), by: isClaim(claim), why: why})
}

// isClaim are the reasons by which the existence of a file is a lock.
func isClaim(claim []finding.Evidence) (by []verdict.Reason) {
	for _, e := range claim {
		by = append(by, verdict.Reason{Rule: existenceLocks, Pos: e.Pos, Text: e.Text})
	}
	return by
}

// number reports what f does to a descriptor by its number once it has closed it:
// the system gives the number to the next file that is opened.
func (c *checker) number(f *effects.Func) {
	all := f.OfKind(effects.Close)
	numbered := slices.DeleteFunc(slices.Clone(all), func(e *effects.Effect) bool { return !byNumber(e) })
	for _, late := range f.OfKind(effects.Unlock, effects.Close) {
		earlier := numbered // what is asked for by its name can be closed by its number alone
		if late.Number != nil {
			earlier = all
		}
		for _, closed := range earlier {
			if closed == late || !(stale(c.p, f, closed, late) || c.again(f, closed, late)) {
				continue
			}
			lock := find(f.OfKind(effects.Lock), func(l *effects.Effect) bool { return l.On(late.Handle) })
			var why []verdict.Reason
			if lock == nil || c.x.Supports(lock.Path) && c.stops(&why, serves, late.Pos, "the package serves tests, builds or demonstrations") {
				continue
			}
			if c.addNumber(f, closed, late, lock, why); len(why) == 0 {
				break
			}
		}
	}
}

// again reports whether f closes an open file whose descriptor it has closed
// behind its back.
func (c *checker) again(f *effects.Func, closed, late *effects.Effect) bool {
	return byNumber(closed) && late.Kind == effects.Close && !byNumber(late) && closed.On(late.Handle) && releasedTwo(c.p, f, closed, late, nil)
}

func (c *checker) addNumber(f *effects.Func, closed, late, lock *effects.Effect, why []verdict.Reason) {
	first, second := callOf(c.p, f, closed), callOf(c.p, f, late)
	if first == nil || second == nil {
		return
	}
	fd := about(late, "twice")
	fd.Pos, fd.End, fd.Func = second.Pos(), second.End(), f.Name()
	what, lets := "unlocks", "releases B's lock"
	fd.NoFix = "closing it has released the lock already"
	if late.Kind == effects.Close {
		what, lets = "closes", "closes B's file, and so releases its lock"
		fd.NoFix = "which of the two is to go is for you to say"
	}
	descriptor := "a descriptor"
	if path := lock.Path; path != nil && path.Kind != pathexpr.Call {
		descriptor = "the descriptor of " + named(path)
	}
	fd.Sentence = fmt.Sprintf("%s %s %s by its number when it is closed: the number may be that of another file by then, whose lock is lost", fd.Func, what, descriptor)
	fd.Claim = "is locked"
	fd.Evidence = []finding.Evidence{{Pos: lock.Pos, Text: memory.FuncName(lock.In) + " locks it"}}
	fd.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: first.Pos(), Does: "closes the descriptor, and so releases the lock"},
		{Actor: "goroutine B", Pos: lock.Pos, Does: "has opened a file, which got the number, and locks it"},
		{Actor: "goroutine A", Pos: second.Pos(), Does: lets},
	}
	by := verdict.Reason{Rule: sameNumber, Pos: closed.Pos, Text: "it is closed here"}
	c.add(&candidate{finding: fd, rank: 1, via: len(late.Via), by: []verdict.Reason{by}, why: why})
}

// takenOver reports the removals with which f gives up a lock file that others
// take over when it is old: it may be theirs by then.
func (c *checker) takenOver(f *effects.Func) {
	for _, r := range f.OfKind(effects.Remove) {
		if len(r.Via) > 0 || r.Foreign != "" || r.Maybe {
			continue
		}
		var why []verdict.Reason
		if look := c.looks(f, r); look != nil && c.stops(&why, looksFirst, look.Pos, "the function asks for the file first") {
			continue
		}
		made, claim := c.claimed(f, r.Path, &why)
		if made == nil || !c.removesWhenDone(f, r) {
			continue
		}
		if over := c.over(r, &why); over != nil {
			c.addTakenOver(f, r, made, over, claim, why)
		}
	}
}

// looks is where f asks for the file before it removes it: whose it is, as may be, since it
// does something with more than the error. It is nil for nowhere.
func (c *checker) looks(f *effects.Func, r *effects.Effect) *effects.Effect {
	return find(f.Effects, func(e *effects.Effect) bool {
		return (e.Kind == effects.Read || e.Kind == effects.Stat) && memory.SameFile(e.Path, r.Path) && e.Here() != nil && e.When == r.When && f.Precedes(e, r) && failure.AnswerUsed(e)
	})
}

// removesWhenDone reports whether f removes the file when its work is done: deferred in
// the function that has made it, in a function that that one returns, or in one
// that is named so.
func (c *checker) removesWhenDone(f *effects.Func, r *effects.Effect) bool {
	if lexicon.Releases(f.SSA.Name()) {
		return true
	}
	if r.When == effects.Deferred {
		return find(f.OfKind(effects.CreateExclusive), func(m *effects.Effect) bool {
			return memory.SameFile(m.Path, r.Path) && f.Precedes(m, r)
		}) != nil
	}
	return f.SSA.Parent() != nil && slices.ContainsFunc(c.p.Funcs, func(g *effects.Func) bool {
		return g.SSA == f.SSA.Parent() && returnsRelease(g, r.Pos)
	})
}

// over is where the package removes the file because it is old, nil for nowhere. What
// speaks against it is that the package keeps files in use young, or writes the file more
// than once.
func (c *checker) over(r *effects.Effect, why *[]verdict.Reason) *effects.Effect {
	own := keys(r.Path)
	same := func(e *effects.Effect) bool {
		return e.Path != nil && (memory.SameFile(e.Path, r.Path) || slices.ContainsFunc(keys(e.Path), func(k string) bool { return slices.Contains(own, k) }))
	}
	var over, asked, again *effects.Effect
	for _, g := range c.p.Funcs {
		for _, e := range g.Effects {
			switch {
			case e.Pos == r.Pos || !same(e):
			case e.Kind == effects.Truncate, e.Kind == effects.Open, e.Kind == effects.Replace, e.Kind == effects.Append:
				if !repeats(g, e) {
					continue
				}
				if again = e; c.idle(rewritten) {
					return nil
				}
			case over == nil && (e.Kind == effects.Remove || e.Kind == effects.Rename):
				if len(e.Via) > 0 {
					continue
				}
				switch by := failure.Of(c.p).Stale(g, e); {
				case by.Written && (!by.Owner || !c.x.Log().Asks(asksOwner)):
					over = e
				case by.Written && asked == nil:
					asked = e
				}
			}
		}
	}
	if over == nil && asked != nil && !c.stops(why, asksOwner, asked.Pos, "it asks for the holder") {
		over = asked
	}
	if over == nil {
		return nil
	}
	if again != nil {
		c.stops(why, rewritten, again.Pos, "the file is written again")
	}
	if at := touches(c.p, func(t *pathexpr.Term) bool {
		return same(&effects.Effect{Action: effects.Action{Path: t}}) || t.Kind == pathexpr.Param || t.Kind == pathexpr.Unknown
	}); at.IsValid() && c.stops(why, touched, at, "the times of a file are set") {
		return nil
	}
	return over
}

// repeats reports whether g, as far as can be seen, writes a file more than once: in a loop,
// or whenever its callers in other packages ask for it.
func repeats(g *effects.Func, e *effects.Effect) bool {
	return e.InLoop() || effects.Exported(g.SSA)
}

func (c *checker) addTakenOver(f *effects.Func, r, made, over *effects.Effect, claim []finding.Evidence, why []verdict.Reason) {
	fd, path := about(r, "twice"), named(r.Path)
	fd.Sentence = fmt.Sprintf("%s removes the lock file %s without a look whether it is still its own: %s removes it when it is old, and who makes it then loses it here",
		fd.Func, path, memory.FuncName(over.In))
	fd.NoFix = "the file has to say whose it is; safeio.TryLock needs no taking over, as the system releases the lock of a process that died"
	fd.Claim, fd.Evidence = "is a lock", claim
	fd.Schedule = []finding.Step{
		{Actor: "process A", Pos: made.Pos, Does: "makes the file, and then works or sleeps for long"},
		{Actor: "process B", Pos: over.Pos, Does: "finds the file old, and removes it"},
		{Actor: "process B", Pos: made.Pos, Does: "makes its own"},
		{Actor: "process A", Pos: r.Pos, Does: "removes the file that is B's now"},
		{Actor: "process C", Pos: made.Pos, Does: "makes the file: B and C both have the lock"},
	}
	by := append(isClaim(claim), verdict.Reason{Rule: takenByAge, Pos: over.Pos, Text: memory.FuncName(over.In) + " removes it when it is old"})
	c.add(&candidate{finding: fd, rank: 1, by: by, why: why})
}
