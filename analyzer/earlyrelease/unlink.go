package earlyrelease

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// guards are the lock files of a package, by the names that mean the same file
// in all of its functions.
type guards struct {
	locks  map[string][]acquire
	probed map[string]*effects.Effect // whose existence or content somebody asks for
	data   map[string]bool            // in which something is kept
	// fields are the places that lock an open file and put it into a field, by the field;
	// filled, the fields through which somebody else writes.
	fields map[string][]acquire
	filled map[string][]*effects.Func
	names  map[*pathexpr.Term][]string
}

// An acquire is one place that takes a lock.
type acquire struct {
	f    *effects.Func
	lock *effects.Effect
}

func indexGuards(p *effects.Package) *guards {
	g := &guards{
		locks:  map[string][]acquire{},
		probed: map[string]*effects.Effect{},
		data:   map[string]bool{},
		fields: map[string][]acquire{},
		filled: map[string][]*effects.Func{},
		names:  map[*pathexpr.Term][]string{},
	}
	for _, f := range p.Funcs {
		for _, e := range f.Effects {
			for _, key := range g.families(e.Path) {
				g.note(key, f, e)
			}
			g.noteField(f, e)
		}
	}
	return g
}

// noteField notes what is done to the fields that keep open files.
func (g *guards) noteField(f *effects.Func, e *effects.Effect) {
	switch e.Kind {
	case effects.StoreHandle:
		for _, l := range f.OfKind(effects.Lock) {
			if l.On(e.Handle) {
				g.fields[e.Target.PackageKey()] = append(g.fields[e.Target.PackageKey()], acquire{f, l})
			}
		}
	case effects.Write, effects.Decode:
		if h := e.Handle.File(); h != nil && h.Kind == pathexpr.Field {
			g.filled[h.PackageKey()] = append(g.filled[h.PackageKey()], f)
		}
	}
}

func (g *guards) note(key string, f *effects.Func, e *effects.Effect) {
	if e.Kind == effects.Read || written(e) != nil {
		g.data[key] = true
	}
	switch e.Kind {
	case effects.Lock:
		g.locks[key] = append(g.locks[key], acquire{f, e})
	case effects.Stat, effects.Read:
		if g.probed[key] == nil &&
			!slices.ContainsFunc(f.OfKind(effects.Lock), func(l *effects.Effect) bool { return sameLock(l, e.Path) }) {
			g.probed[key] = e
		}
	}
}

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

// families are the names that a path has in every function of the package. A
// path whose last part differs from call to call has none.
func (g *guards) families(path *pathexpr.Term) []string {
	keys, ok := g.names[path]
	if !ok {
		keys = families(path)
		g.names[path] = keys
	}
	return keys
}

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
		var why []verdict.Reason
		if isFresh(r.Path) && c.stops(&why, freshPlace, r.Pos, "nobody else knows the file") {
			continue
		}
		if c.naming(r.Path).pid && c.stops(&why, pidFile, r.Pos, "its name says pid") {
			continue
		}
		by, text := c.isLockFile(f, r)
		if by == nil {
			continue
		}
		if k := c.removal(f, r, &why); k != nil {
			k.by, k.why = []verdict.Reason{{Rule: by, Pos: r.Pos, Text: text}}, why
			c.add(k)
		}
	}
}

// isLockFile is the rule by which a removed file is a lock file: by its name, because a lock
// object has it to itself, or because it lives as long as its lock. It is nil for any other.
func (c *checker) isLockFile(f *effects.Func, r *effects.Effect) (*verdict.Rule, string) {
	path, log := r.Path, c.x.Log()
	switch {
	case c.naming(path).lock && log.Asks(lockName):
		return lockName, "its name says lock"
	case log.Asks(lockObject) && c.sidecar(f, path):
		return lockObject, "a lock object has it to itself"
	case log.Asks(endsWithLock) && c.livesWithLock(f, r):
		return endsWithLock, "who takes the lock makes the file, and who releases it removes the file"
	}
	return nil, ""
}

// naming is what the names in a path say that its file is.
func (c *checker) naming(path *pathexpr.Term) naming {
	n, ok := c.named[path]
	if !ok {
		of := func(t *pathexpr.Term) bool {
			part := c.namingOf(t)
			n.pid, n.lock = n.pid || part.pid, n.lock || part.lock
			return n.pid && n.lock
		}
		if !path.Any(of) {
			path.Expanded().Any(of)
		}
		c.named[path] = n
	}
	return n
}

// namingOf is what the names in one part of a path say. Paths have most parts in common.
func (c *checker) namingOf(t *pathexpr.Term) naming {
	names := [2]string{t.Text, t.Type[strings.LastIndexByte(t.Type, '/')+1:]}
	n, ok := c.names[names]
	if !ok {
		text := names[0] + " " + names[1]
		word, _ := lexicon.PidFile.In(text)
		n = naming{pid: word != "", lock: lexicon.NamesLockFile(text)}
		c.names[names] = n
	}
	return n
}

// A naming is what the names in a path say that its file is.
type naming struct{ pid, lock bool }

// livesWithLock reports whether a file is there for as long as its lock is held: who takes
// the lock makes the file where it is not there, and f, which gives the lock up, removes it.
// Nobody else keeps anything in it.
func (c *checker) livesWithLock(f *effects.Func, r *effects.Effect) bool {
	if !c.removesWhenDone(f, r) && !lexicon.Ends(memory.Outermost(f.SSA).Name()) {
		return false
	}
	lets := find(f.OfKind(effects.Unlock, effects.Close), func(u *effects.Effect) bool { return c.lets(u, r.Path) })
	if lets == nil {
		return false
	}
	others := func(g *effects.Func) bool {
		return g != f && !slices.ContainsFunc(c.takers(f, r.Path), func(a acquire) bool { return a.f == g })
	}
	if h := lets.Handle.File(); h.Kind == pathexpr.Field && slices.ContainsFunc(c.guards.filled[h.PackageKey()], others) {
		return false
	}
	return slices.ContainsFunc(c.takers(f, r.Path), func(a acquire) bool {
		return !a.lock.Shared && find(a.f.Effects, func(m *effects.Effect) bool {
			return m.Makes && m.Kind != effects.CreateExclusive && m.On(a.lock.Handle)
		}) != nil
	})
}

// removesWhenDone reports whether f removes the file when its work is done: deferred in the
// function that creates it exclusively, in a function that this one returns, or in one that
// is named for releasing.
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

// returnsRelease reports whether f returns a function that has an effect at a place.
func returnsRelease(f *effects.Func, at token.Pos) bool {
	return slices.ContainsFunc(f.OfResults, func(list []*effects.Effect) bool {
		return slices.ContainsFunc(list, func(e *effects.Effect) bool { return e.Pos == at })
	})
}

// sidecar reports whether a lock object locks the file, and nobody keeps
// anything in it. Of a file that cannot be spelled nobody knows that.
func (c *checker) sidecar(f *effects.Func, path *pathexpr.Term) bool {
	if named(path) == unspelled {
		return false
	}
	for _, key := range c.guards.families(path) {
		if c.guards.data[key] {
			return false
		}
	}
	return slices.ContainsFunc(c.takers(f, path), func(a acquire) bool { return a.lock.SeparateLockFile })
}

// removal judges one removal of a lock file, as seen from f.
func (c *checker) removal(f *effects.Func, r *effects.Effect, why *[]verdict.Reason) *candidate {
	mine := func(e *effects.Effect) bool {
		return e.Kind == effects.Lock && sameLock(e, r.Path) || e.Kind == effects.Unlock && c.lets(e, r.Path)
	}
	takers := c.takers(f, r.Path)
	if len(takers) == 0 && find(f.Effects, mine) == nil {
		return nil
	}
	if c.madeExclusively(f, r.Path, takers) && c.stops(why, existenceCounts, r.Pos, "the file is made with O_EXCL") {
		return nil
	}
	k := &candidate{rank: byOthers, via: len(r.Via), finding: about(r, "unlink")}
	switch {
	case c.released(f, r) != nil:
		k.rank = afterUnlock
	case c.held(f, r):
		k.rank = whileHeld
		if len(takers) > 0 && !slices.ContainsFunc(takers, func(a acquire) bool { return !a.looksAgain() }) &&
			c.covers(r, lookAgain, "who takes the lock looks again", why) {
			return nil
		}
	case len(takers) == 0:
		return nil
	default:
		k.of = r.Pos
	}
	c.tell(k, f, r, takers)
	return k
}

// covers notes a reason against a removal, wherever it is seen from.
func (c *checker) covers(r *effects.Effect, by *verdict.Rule, text string, why *[]verdict.Reason) bool {
	if c.x.Log().Asks(by) {
		c.covered[r.Pos] = verdict.Reason{Rule: by, Pos: r.Pos, Text: text}
	}
	return c.stops(why, by, r.Pos, text)
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

// takers are the places of the package, of f and of what is around it, that lock the file: those first
// that want it for themselves, since two that share it harm nobody.
func (c *checker) takers(f *effects.Func, path *pathexpr.Term) []acquire {
	var list []acquire
	add := func(a acquire) {
		if !slices.ContainsFunc(list, func(b acquire) bool { return a.lock.Pos == b.lock.Pos }) {
			list = append(list, a)
		}
	}
	for _, key := range c.guards.families(path) {
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
	slices.SortStableFunc(list, func(a, b acquire) int { return shares(a) - shares(b) })
	return list
}

// shares is 1 for a place that takes the lock together with others, 0 for any
// other.
func shares(a acquire) int {
	if a.lock.Shared {
		return 1
	}
	return 0
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

// tell fills in what the finding says.
func (c *checker) tell(k *candidate, f *effects.Func, r *effects.Effect, takers []acquire) {
	fn, path := k.finding.Func, named(r.Path)
	taken := r.Pos
	if len(takers) > 0 {
		taken = takers[0].lock.Pos
	}
	k.finding.Claim = "is a lock file"
	for _, a := range takers[:min(len(takers), 3)] {
		k.finding.Evidence = append(k.finding.Evidence, finding.Evidence{Pos: a.lock.Pos, Text: memory.FuncName(a.lock.In) + " locks it"})
	}
	if len(takers) == 0 {
		unlock := find(f.OfKind(effects.Unlock), func(e *effects.Effect) bool { return c.lets(e, r.Path) })
		k.finding.Evidence = []finding.Evidence{{Pos: unlock.Pos, Text: memory.FuncName(unlock.In) + " releases its lock"}}
	}
	acts := []finding.Act{finding.LocksRemoved}
	third := finding.Step{Actor: "process C", Pos: taken, Does: "makes a new file of the name and locks it: B and C both have the lock"}
	switch k.rank {
	case afterUnlock:
		k.finding.Sentence = fmt.Sprintf("%s removes the lock file %s after it has released the lock: "+
			"a process that has taken the lock since then holds it on a file without a name, and the next one locks a new file beside it", fn, path)
		k.finding.Schedule = []finding.Step{
			{Actor: "process A", Pos: c.released(f, r).Pos, Does: "releases the lock"},
			{Actor: "process B", Pos: taken, Does: "takes the lock on the same file", Acts: acts},
			{Actor: "process A", Pos: r.Pos, Does: "removes the file that B has locked"},
			third,
		}
	case whileHeld:
		k.finding.Sentence = fmt.Sprintf("%s removes the lock file %s while it holds the lock: "+
			"a process that waits for the lock gets it on a file without a name, and the next one locks a new file beside it", fn, path)
		k.finding.Schedule = []finding.Step{
			{Actor: "process B", Pos: taken, Does: "has opened the file and waits for the lock that A holds", Acts: acts},
			{Actor: "process A", Pos: r.Pos, Does: "removes the file, and releases the lock"},
			{Actor: "process B", Pos: taken, Does: "holds the lock on a file without a name"},
			third,
		}
	default:
		k.finding.Sentence = fmt.Sprintf("%s removes the lock file %s without the lock: "+
			"whoever has the lock keeps it on a file without a name, and the next one locks a new file beside it", fn, path)
		k.finding.Schedule = []finding.Step{
			{Actor: "process B", Pos: taken, Does: "takes the lock", Acts: acts},
			{Actor: "process A", Pos: r.Pos, Does: "removes the file that B has locked"},
			third,
		}
	}
	c.remedy(k, r)
}

// remedy asks for the removal to be dropped where nobody takes the file's
// existence for the lock.
func (c *checker) remedy(k *candidate, r *effects.Effect) {
	if k.rank == byOthers {
		k.finding.NoFix = "it breaks a lock on purpose, and only its author can say what to do instead"
		return
	}
	if ofAllUsers(r.Path) {
		k.finding.NoFix = "other users come to the directory, too, and could not open the file that one of them leaves"
		return
	}
	if c.emptiesDir(r) {
		k.finding.NoFix = "the directory of the file is removed behind it, which cannot be done while the file is there"
		return
	}
	if c.keepsContent(r) {
		k.finding.NoFix = "the content of the file would stay: have the program empty the file instead, while it holds the lock"
		return
	}
	for _, key := range c.guards.families(r.Path) {
		if probe := c.guards.probed[key]; probe != nil {
			k.finding.NoFix = memory.FuncName(probe.In) + " checks for the file without the lock, and would always find it"
			return
		}
	}
	if r.Call != nil {
		k.finding.Remedy = finding.DropRemoval{Call: r.Call}
	}
}

// keepsContent reports whether a function that locks the file reads or writes what is in it.
func (c *checker) keepsContent(r *effects.Effect) bool {
	return slices.ContainsFunc(c.p.Funcs, func(f *effects.Func) bool {
		return slices.ContainsFunc(f.OfKind(effects.Lock), func(l *effects.Effect) bool {
			return l.Handle.File() != nil && sameLock(l, r.Path) && c.handles(f.SSA, l.Handle.File())
		})
	})
}

// handles reports whether a function calls something on an open file, or with it, that is about its
// content.
func (c *checker) handles(fn *ssa.Function, file *pathexpr.Term) bool {
	for i := range flow.Instrs(fn) {
		call, ok := i.(ssa.CallInstruction)
		if !ok {
			continue
		}
		if callee := c.p.CalleeOf(call.Common()); callee == nil || !lexicon.HandlesContent(callee.Name()) {
			continue
		}
		if slices.ContainsFunc(memory.CallArgs(call.Common()), func(arg ssa.Value) bool {
			return !memory.IsString(arg.Type()) && isOrHas(c.p.Term(arg), file)
		}) {
			return true
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, func(lit *ssa.Function) bool { return c.handles(lit, file) })
}

// isOrHas reports whether a value is an open file, or the object that has it in a field.
func isOrHas(t, file *pathexpr.Term) bool {
	for t = t.File(); t != nil; file = file.Args[0] {
		if t.Equal(file) || file.Kind != pathexpr.Field {
			return t.Equal(file)
		}
	}
	return false
}

// emptiesDir reports whether the function goes on to remove the directory in which the file
// was.
func (c *checker) emptiesDir(r *effects.Effect) bool {
	f := c.p.Of(r.In)
	return f != nil && r.Path != nil && slices.ContainsFunc(f.OfKind(effects.Remove), func(e *effects.Effect) bool {
		return memory.SameFile(e.Path, r.Path.Dir()) && effects.Reaches(r, e)
	})
}

// ofAllUsers reports whether a path is in the directory for temporary files, which all
// users of the machine share.
func ofAllUsers(path *pathexpr.Term) bool {
	names := pathexpr.Constants(path.Expanded())
	return path.Expanded().Any(func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Call && t.Text == "os.TempDir" }) ||
		len(names) > 0 && (strings.HasPrefix(names[0], "/tmp/") || names[0] == "/tmp")
}
