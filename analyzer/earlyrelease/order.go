package earlyrelease

import (
	"fmt"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A hold is one lock, between processes or within one, from where a function
// takes it to where it releases.
type hold struct {
	take, let *effects.Effect
	key       string // the lock, by a name that means the same in the package; empty where there is none
}

// holds are the locks that f takes and releases itself.
func holds(f *effects.Func) []hold {
	var list []hold
	pair := func(take, let effects.Kind) {
		for _, a := range f.OfKind(take) {
			if a.When != effects.Inline || len(a.Via) > 1 || a.Path == nil || balanced(f, a, let) {
				continue
			}
			for _, u := range f.OfKind(let) {
				if len(u.Via) <= 1 && memory.SameFile(a.Path, u.Path) && f.Precedes(a, u) && !effects.OneCall(a, u) {
					list = append(list, hold{a, u, a.Path.Abstract()})
				}
			}
		}
	}
	pair(effects.Lock, effects.Unlock)
	pair(effects.Acquire, effects.Release)
	return list
}

// balanced reports whether the call that takes a lock releases it as well.
func balanced(f *effects.Func, take *effects.Effect, let effects.Kind) bool {
	return find(f.OfKind(let), func(u *effects.Effect) bool {
		return effects.OneCall(take, u) && memory.SameFile(take.Path, u.Path)
	}) != nil
}

// writing are the kinds of effects that make content.
var writing = []effects.Kind{effects.Truncate, effects.Replace, effects.Open, effects.Append, effects.Rename}

// written is the path whose content an effect makes, nil for any other effect.
func written(e *effects.Effect) *pathexpr.Term {
	switch e.Kind {
	case effects.Truncate, effects.Replace, effects.Open, effects.Append:
		return e.Path
	case effects.Rename:
		return e.Target
	}
	return nil
}

// indexProtected finds which files the package writes under which locks.
func indexProtected(p *effects.Package) map[string]*effects.Effect {
	protected := map[string]*effects.Effect{}
	for _, f := range p.Funcs {
		for _, h := range holds(f) {
			for _, w := range f.OfKind(writing...) {
				data := written(w)
				if data == nil || w.When == effects.Spawned || !effects.Took(h.take, w) || f.Precedes(h.let, w) {
					continue
				}
				if key := data.Abstract(); key != "" && h.key != "" && key != h.key && protected[h.key+"\x00"+key] == nil {
					protected[h.key+"\x00"+key] = w
				}
			}
		}
	}
	return protected
}

// outOfOrder reports the writes of f that come after the release of the lock under
// which the package writes the same file.
func (c *checker) outOfOrder(f *effects.Func) {
	for _, h := range holds(f) {
		for _, w := range f.OfKind(writing...) {
			data := written(w)
			if data == nil || effects.OneCall(w, h.let) {
				continue
			}
			var why []verdict.Reason
			if data.Has(pathexpr.Fresh) && c.stops(&why, freshPlace, w.Pos, "nobody else knows the file") ||
				pathexpr.OfKernel(data) && c.stops(&why, lexicon.Kernel.Rule, w.Pos, "it is a kernel file") {
				continue
			}
			under := c.under(f, h, data)
			if under == nil || outer(under) == outer(w) || !f.Precedes(h.let, w) {
				continue
			}
			if again := takesAgain(f, h, w); again != nil && c.stops(&why, locksAgain, again.Pos, "the lock is taken once more") {
				continue
			}
			variant := late(h, w)
			if variant == "" || variant == "copy" && c.stops(&why, copyWritten, w.Pos, "it is written after a mutex") {
				continue
			}
			if variant == "defers" {
				if first := writtenFirst(f, h, data); first != nil && c.stops(&why, writtenBefore, first.Pos, "it is written before the lock is taken") {
					continue
				}
			}
			if variant == "copy" {
				variant = "unlock"
			}
			c.addOrder(f, h, w, data, under, variant, why)
		}
	}
}

// writtenFirst is where f writes the file before it takes the lock; nil for nowhere.
func writtenFirst(f *effects.Func, h hold, data *pathexpr.Term) *effects.Effect {
	return find(f.OfKind(writing...), func(e *effects.Effect) bool {
		path := written(e)
		return path != nil && memory.SameFile(path, data) && f.Precedes(e, h.take)
	})
}

// under is where the package writes the file under the lock, or else where f has
// read it under a lock between processes that is beside it.
func (c *checker) under(f *effects.Func, h hold, data *pathexpr.Term) *effects.Effect {
	if e := c.protected[h.key+"\x00"+data.Abstract()]; e != nil {
		return e
	}
	if h.take.Kind != effects.Lock || !effects.Beside(h.take, data) {
		return nil
	}
	return find(f.OfKind(effects.Read), func(r *effects.Effect) bool {
		return memory.SameFile(r.Path, data) && effects.Took(h.take, r) && f.Precedes(r, h.let)
	})
}

// late is the variant of a write that runs after the release, empty for one that need not
// have had the lock. Who writes a copy after the mutex is another check's question.
func late(h hold, w *effects.Effect) string {
	switch {
	case w.When == effects.Deferred && h.let.When == effects.Deferred:
		return "defers"
	case h.take.Kind != effects.Lock:
		return "copy"
	case effects.Took(h.take, w):
		return "unlock"
	}
	return ""
}

// takesAgain is where the lock is taken once more for the write, and held over it; nil for
// nowhere.
func takesAgain(f *effects.Func, h hold, w *effects.Effect) *effects.Effect {
	return find(f.OfKind(h.take.Kind), func(l *effects.Effect) bool {
		switch {
		case l == h.take || (l.Path.Abstract() != h.key || h.key == "") && !memory.SameFile(l.Path, h.take.Path):
			return false
		case !(f.Precedes(l, w) && !f.Precedes(l, h.let)) && !effects.OneCall(l, w):
			return false
		}
		return find(f.OfKind(h.let.Kind), func(u *effects.Effect) bool { // not let go of again
			return memory.SameFile(u.Path, l.Path) && u.When == effects.Inline && f.Precedes(l, u) && effects.Before(u, w)
		}) == nil
	})
}

// behind says what has to be done about a write that comes after the release. What a helper
// does besides may have to stay outside of the lock.
func behind(w *effects.Effect) string {
	if len(w.Via) > 0 || w.Foreign != "" || w.Call == nil {
		return "what " + calledName(w) + " does besides may have to stay outside of the lock"
	}
	return "release the lock behind the write; what else then runs under it only its author can say"
}

// calledName is the function through which an effect comes about.
func calledName(w *effects.Effect) string {
	if w.Foreign != "" {
		return w.Foreign
	}
	return memory.FuncName(w.In)
}

func (c *checker) addOrder(f *effects.Func, h hold, w *effects.Effect, data *pathexpr.Term, under *effects.Effect, variant string, why []verdict.Reason) {
	at, let := outer(w), outer(h.let)
	if at == nil || let == nil {
		return
	}
	fd := about(w, variant)
	fd.Pos, fd.End, fd.Func = at.Pos(), at.End(), f.Name()
	lock := named(h.take.Path)
	when := fmt.Sprintf("after it has released %s", lock)
	if variant == "defers" {
		when = fmt.Sprintf("in a deferred call that runs after the deferred unlock of %s", lock)
		fd.NoFix = "defer it behind the unlock, so that it runs first; whether it has to run where the function ends in between only its author can say"
	} else {
		fd.NoFix = behind(w)
	}
	fd.Sentence = fmt.Sprintf("%s writes %s %s: who takes the lock in between writes the same file, and one of the two is lost", fd.Func, named(data), when)
	fd.Claim = "is written under the lock"
	fd.Evidence = []finding.Evidence{{Pos: under.Pos, Text: memory.FuncName(under.In) + " writes it there"}}
	if under.Kind == effects.Read {
		fd.Claim = "is read under the lock"
		fd.Evidence[0].Text = memory.FuncName(under.In) + " reads it there"
	}
	fd.Schedule = []finding.Step{
		{Actor: "A", Pos: let.Pos(), Does: "releases the lock"},
		{Actor: "B", Pos: h.take.Pos, Does: "takes the lock and writes the file"},
		{Actor: "A", Pos: at.Pos(), Does: "writes the file without the lock: what B wrote is gone"},
	}
	by := verdict.Reason{Rule: writtenUnder, Pos: under.Pos, Text: fd.Evidence[0].Text}
	if under.Kind == effects.Read {
		by.Rule = readUnder
	}
	c.add(&candidate{finding: fd, rank: 1, via: len(w.Via), by: []verdict.Reason{by}, why: why})
}
