package earlyrelease

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// Guards are the places of a package that take a lock, by the names of its file that mean the same in
// all functions, and by the fields into which they put the open file.
type guards struct{ locks, fields map[string][]acquire }

// An acquire is one place that takes a lock.
type acquire struct {
	f    *effects.Func
	lock *effects.Effect
}

func indexGuards(p *effects.Package) guards {
	g := guards{locks: map[string][]acquire{}, fields: map[string][]acquire{}}
	for _, f := range p.Funcs {
		for _, l := range f.OfKind(effects.Lock) {
			for _, key := range families(l.Path) {
				g.locks[key] = append(g.locks[key], acquire{f, l})
			}
			for _, e := range f.OfKind(effects.StoreHandle) {
				if key := e.Target.PackageKey(); l.On(e.Handle) {
					g.fields[key] = append(g.fields[key], acquire{f, l})
				}
			}
		}
	}
	return g
}

// families are the names that a path has in every function of the package. A
// path whose last part differs from call to call has none.
func families(path *pathexpr.Term) []string {
	var keys []string
	for _, t := range []*pathexpr.Term{path, path.Expanded()} {
		for _, alt := range alternatives(t) {
			if key := alt.PackageKey(); key != "" && !varies(alt.Last()) && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func alternatives(t *pathexpr.Term) []*pathexpr.Term {
	switch {
	case t == nil:
		return nil
	case t.Kind == pathexpr.Alt:
		return t.Args
	}
	return []*pathexpr.Term{t}
}

// varies reports whether a part of the name is given by the caller, or unknown.
func varies(name *pathexpr.Term) bool {
	return name.Any(func(t *pathexpr.Term) bool {
		switch t.Kind {
		case pathexpr.Param:
			return t.Type == ""
		case pathexpr.Unknown, pathexpr.Elem, pathexpr.Pid:
			return true
		}
		return false
	})
}

// sameLock reports whether a path is that of the lock file of an effect: its
// path, or the open file itself, whose name is asked for.
func sameLock(lock *effects.Effect, path *pathexpr.Term) bool {
	for _, alt := range alternatives(path) {
		for _, own := range append(alternatives(lock.Path), lock.Handle) {
			if memory.SameFile(own, alt) || own != nil && own.Expanded().Equal(alt.Expanded()) {
				return true
			}
		}
	}
	return false
}

// How a lock file is removed, the worst last.
const (
	byOthers = iota + 1
	whileHeld
	afterUnlock
)

// unlink reports the removals of lock files among the effects of f.
func (c *checker) unlink(f *effects.Func) {
	for _, r := range f.OfKind(effects.Remove) {
		if r.Foreign != "" || r.Path == nil {
			continue
		}
		byName := c.x.Log().Asks(lockName) && says(r.Path, lexicon.NamesLockFile)
		if !byName && !c.removesWhenDone(f, r) {
			continue
		}
		takers := c.takers(f, r.Path)
		by := lockName
		if !byName {
			if by = endsWithLock; !c.livesWithLock(f, r, takers) {
				continue
			}
		}
		if k := c.removal(f, r, takers); k != nil {
			k.by = verdict.Reason{Rule: by, Pos: r.Pos, Text: by.Why}
			c.add(k)
		}
	}
}

// says reports whether a word is in the text or in the type of a part of a path.
func says(path *pathexpr.Term, word func(string) bool) bool {
	of := func(t *pathexpr.Term) bool { return word(t.Text + " " + t.Type[strings.LastIndexByte(t.Type, '/')+1:]) }
	return path.Any(of) || path.Expanded().Any(of)
}

func saysPid(s string) bool {
	word, _ := lexicon.PidFile.In(s)
	return word != ""
}

// removesWhenDone reports whether f removes the file when its work is done: it is named for
// releasing, or returned by the function around it.
func (c *checker) removesWhenDone(f *effects.Func, r *effects.Effect) bool {
	around := c.p.Of(f.SSA.Parent())
	returns := func(list []*effects.Effect) bool {
		return find(list, func(e *effects.Effect) bool { return e.Pos == r.Pos }) != nil
	}
	return lexicon.Releases(f.SSA.Name()) || around != nil && slices.ContainsFunc(around.OfResults, returns)
}

// livesWithLock reports whether a file is there for as long as its lock is held: who takes the lock
// makes the file where it is not there, and f, which removes it, gives the lock up. Nobody else keeps
// anything in it.
func (c *checker) livesWithLock(f *effects.Func, r *effects.Effect, takers []acquire) bool {
	lets := find(f.OfKind(effects.Unlock, effects.Close), func(u *effects.Effect) bool { return c.lets(u, r.Path) })
	if lets == nil {
		return false
	}
	field := lets.Handle.File().PackageKey()
	filled := func(e *effects.Effect) bool { return field != "" && e.Handle.File().PackageKey() == field }
	for _, g := range c.p.Funcs {
		takes := slices.ContainsFunc(takers, func(a acquire) bool { return a.f == g })
		if !takes && find(g.OfKind(effects.Write, effects.Decode), filled) != nil {
			return false
		}
	}
	return slices.ContainsFunc(takers, func(a acquire) bool {
		return a.lock.SeparateLockFile || !a.lock.Shared && find(a.f.Effects, func(m *effects.Effect) bool {
			return m.Makes && m.Kind != effects.CreateExclusive && m.On(a.lock.Handle)
		}) != nil
	})
}

// removal judges one removal of a lock file, as seen from f; it is nil for that of a file that nobody
// locks.
func (c *checker) removal(f *effects.Func, r *effects.Effect, takers []acquire) *candidate {
	lets := func(u *effects.Effect) bool { return c.lets(u, r.Path) }
	if len(takers) == 0 && find(f.OfKind(effects.Unlock), lets) == nil {
		return nil
	}
	k := &candidate{rank: byOthers, via: len(r.Via), finding: about(r, "unlink")}
	unlock := c.released(f, r)
	switch {
	case unlock != nil:
		k.rank = afterUnlock
	case c.held(f, r):
		k.rank = whileHeld
	case len(takers) == 0:
		return nil
	}
	c.tell(k, r, unlock, takers)
	against := func(holds bool, by *verdict.Rule, text string) {
		if holds {
			k.why = append(k.why, verdict.Reason{Rule: by, Pos: r.Pos, Text: text})
		}
	}
	blind := func(a acquire) bool { return !a.looksAgain() }
	against(isFresh(r.Path), freshPlace, "nobody else knows the file")
	against(says(r.Path, saysPid), pidFile, "its name says pid")
	against(c.madeExclusively(f, r.Path, takers), existenceCounts, "the file is made with O_EXCL")
	checked := len(takers) > 0 && !slices.ContainsFunc(takers, blind)
	against(checked && k.rank != afterUnlock, lookAgain, "who takes the lock looks again")
	return k
}

// lets reports whether an effect releases the lock on a file: an unlock, or the
// end of the open file that has it.
func (c *checker) lets(e *effects.Effect, path *pathexpr.Term) bool {
	return e.Kind == effects.Unlock && sameLock(e, path) ||
		e.Kind == effects.Close && memory.SameFile(c.p.LockFile(e.Handle), path)
}

// released is where the lock is released before its file is removed. A call that
// takes the lock and releases it again only asked whether it is free.
func (c *checker) released(f *effects.Func, r *effects.Effect) *effects.Effect {
	return find(f.OfKind(effects.Unlock, effects.Close), func(u *effects.Effect) bool {
		if !c.lets(u, r.Path) || !f.Precedes(u, r) || effects.OneCall(u, r) && u.CalleeEffect != nil && r.CalleeEffect != nil {
			return false // what one call does, the function that is called knows
		}
		return find(f.OfKind(effects.Lock), func(l *effects.Effect) bool {
			if !sameLock(l, r.Path) {
				return false
			}
			return effects.OneCall(l, u) && !effects.OneCall(l, r) || f.Precedes(u, l) && effects.Took(l, r)
		}) == nil
	})
}

// asked reports whether the call that takes a lock also releases it.
func (c *checker) asked(f *effects.Func, lock, r *effects.Effect) bool {
	return !effects.OneCall(lock, r) && find(f.OfKind(effects.Unlock), func(u *effects.Effect) bool {
		return effects.OneCall(lock, u) && c.lets(u, r.Path)
	}) != nil
}

// held reports whether the lock is held where its file is removed: it was taken
// before, or the function only releases it.
func (c *checker) held(f *effects.Func, r *effects.Effect) bool {
	takes, lets := false, false
	for _, e := range f.OfKind(effects.Lock, effects.Unlock, effects.Close) {
		switch {
		case e.Kind != effects.Lock:
			lets = lets || c.lets(e, r.Path) && f.Precedes(r, e)
		case !sameLock(e, r.Path):
		case effects.Took(e, r) && !c.asked(f, e, r):
			return true
		default:
			takes = true
		}
	}
	return lets && !takes
}

// takers are the places of the package, of f and of what is around it, that lock the file.
func (c *checker) takers(f *effects.Func, path *pathexpr.Term) []acquire {
	var list []acquire
	add := func(a acquire) {
		if !slices.ContainsFunc(list, func(b acquire) bool { return a.lock.Pos == b.lock.Pos }) {
			list = append(list, a)
		}
	}
	for _, key := range families(path) {
		for _, a := range c.guards.locks[key] {
			add(a)
		}
	}
	for g, up := f, path; g != nil; g, up = c.p.Of(g.SSA.Parent()), c.p.Outside(up) {
		for _, e := range g.OfKind(effects.Lock) {
			if sameLock(e, up) {
				add(acquire{g, e})
			}
		}
	}
	for _, u := range f.OfKind(effects.Unlock, effects.Close) {
		if h := u.Handle.File(); h != nil && h.Kind == pathexpr.Field && c.lets(u, path) {
			for _, a := range c.guards.fields[h.PackageKey()] {
				add(a)
			}
		}
	}
	return list
}

// madeExclusively reports whether f, or one that takes the lock, makes the file exclusively.
func (c *checker) madeExclusively(f *effects.Func, path *pathexpr.Term, takers []acquire) bool {
	own := func(e *effects.Effect) bool { return memory.SameFile(e.Path, path) }
	return find(f.OfKind(effects.CreateExclusive), own) != nil || slices.ContainsFunc(takers, func(a acquire) bool {
		return find(a.f.OfKind(effects.CreateExclusive), func(e *effects.Effect) bool { return sameLock(a.lock, e.Path) }) != nil
	})
}

// looksAgain reports whether the place asks, once it has the lock, which file
// the name stands for, and does something with the answer.
func (a acquire) looksAgain() bool {
	return find(a.f.OfKind(effects.Stat), func(e *effects.Effect) bool {
		return sameLock(a.lock, e.Path) && effects.Before(a.lock, e) && failure.AnswerUsed(e)
	}) != nil
}

// tell fills in what the finding says; unlock is where the lock is released before, nil for none.
func (c *checker) tell(k *candidate, r, unlock *effects.Effect, takers []acquire) {
	taken := r.Pos
	if len(takers) > 0 {
		taken = takers[0].lock.Pos
	}
	k.finding.Claim = "is a lock file"
	for _, a := range takers[:min(len(takers), 3)] {
		k.finding.Evidence = append(k.finding.Evidence, finding.Evidence{Pos: a.lock.Pos, Text: memory.FuncName(a.lock.In) + " locks it"})
	}
	other := finding.Step{Actor: "process B", Pos: taken, Does: "takes the lock", Acts: []finding.Act{finding.LocksRemoved}}
	removes := finding.Step{Actor: "process A", Pos: r.Pos, Does: "removes the file that B has locked"}
	third := finding.Step{Actor: "process C", Pos: taken, Does: "makes a new file of the name and locks it: B and C both have the lock"}
	when, who := "without the lock", "whoever has the lock keeps it"
	switch k.rank {
	case afterUnlock:
		when, who = "after it has released the lock", "a process that has taken the lock since then holds it"
		k.finding.Schedule = []finding.Step{{Actor: "process A", Pos: unlock.Pos, Does: "releases the lock"}}
	case whileHeld:
		when, who = "while it holds the lock", "a process that waits for the lock gets it"
		other.Does = "has opened the file and waits for the lock that A holds"
		removes.Does = "removes the file, and releases the lock: B has it on a file without a name"
	}
	k.finding.Sentence = fmt.Sprintf("%s removes the lock file %s %s: %s on a file without a name, and the next one locks a new file beside it",
		k.finding.Func, named(r.Path), when, who)
	k.finding.Schedule = append(k.finding.Schedule, other, removes, third)
	c.remedy(k, r, takers)
}

// remedy asks for the removal to be dropped where nobody can miss it.
func (c *checker) remedy(k *candidate, r *effects.Effect, takers []acquire) {
	switch {
	case k.rank == byOthers:
		k.finding.NoFix = "it breaks a lock on purpose, and only its author can say what to do instead"
	case slices.ContainsFunc(takers, keepsContent):
		k.finding.NoFix = "what the file may hold would stay: have the program empty the file instead, while it holds the lock"
	case ofAllUsers(r.Path) || c.isMissed(r):
		k.finding.NoFix = "others would find the file: they check for it, move or remove its directory, or may not open it"
	case r.Call != nil:
		k.finding.Remedy = finding.DropRemoval{Call: r.Call}
	}
}

// isMissed reports whether the package checks for the file without the lock, or moves or removes the directory of the file.
func (c *checker) isMissed(r *effects.Effect) bool {
	dir := r.Path.Path().Dir()
	keys, dirs := families(r.Path), families(dir)
	isOf := func(keys []string) func(*effects.Effect) bool {
		return func(e *effects.Effect) bool {
			return slices.ContainsFunc(families(e.Path), func(key string) bool { return slices.Contains(keys, key) })
		}
	}
	locks := func(l *effects.Effect) bool { return sameLock(l, r.Path) }
	return slices.ContainsFunc(c.p.Funcs, func(f *effects.Func) bool {
		return find(f.OfKind(effects.Stat, effects.Read), isOf(keys)) != nil && find(f.OfKind(effects.Lock), locks) == nil ||
			find(f.OfKind(effects.Remove, effects.Rename), func(e *effects.Effect) bool {
				return isOf(dirs)(e) || dir != nil && slices.Contains(f.Effects, r) && memory.SameFile(e.Path, dir)
			}) != nil
	})
}

// keepsContent reports whether who takes a lock reads or writes what is in its file, or another
// package takes it, which may.
func keepsContent(a acquire) bool {
	content := a.f.OfKind(effects.Read, effects.Decode, effects.Write, effects.TruncateTo)
	return a.lock.Foreign != "" && !a.lock.SeparateLockFile ||
		find(content, func(e *effects.Effect) bool { return e.On(a.lock.Handle) }) != nil
}

// ofAllUsers reports whether a path is in the directory for temporary files, which all
// users of the machine share.
func ofAllUsers(path *pathexpr.Term) bool {
	names := pathexpr.Constants(path.Expanded())
	return path.Expanded().Any(func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Call && t.Text == "os.TempDir" }) ||
		len(names) > 0 && (strings.HasPrefix(names[0], "/tmp/") || names[0] == "/tmp")
}
