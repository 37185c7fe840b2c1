package earlyrelease

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/locks"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// flags reports the flags, pointers, lists and tokens that f gives up before it
// removes the file which they keep others from.
func (c *checker) flags(f *effects.Func) {
	for _, r := range f.OfKind(cleaning...) {
		path := c.cleansUp(r)
		if path == nil || len(bothKeys(path)) == 0 {
			continue
		}
		for _, d := range flagEffects(c.p, f) {
			if !frees(d, r) || effects.OneCall(d, r) || !f.Precedes(d, r) || !together(d, path) {
				continue
			}
			var why []verdict.Reason
			if isFresh(path) && c.stops(&why, freshPlace, r.Pos, "nobody else knows the file") ||
				!d.Shared && c.stops(&why, unshared, d.Pos, "no mutex is held") ||
				spans(f, d, r) && c.stops(&why, mutexSpans, r.Pos, "a mutex is held until the clean-up is done") {
				continue
			}
			t := c.taken(f, d, r, path, &why)
			if t == nil || c.spanned(f, d, r) && c.stops(&why, mutexSpans, r.Pos, "a caller holds a mutex until the clean-up is done") {
				continue
			}
			if c.addFlag(f, d, r, path, t, why); len(why) == 0 {
				break
			}
		}
	}
}

// taken is who takes what a flag has given up; one that leaves an old file alone only where
// that is wanted.
func (c *checker) taken(f *effects.Func, d, r *effects.Effect, path *pathexpr.Term, why *[]verdict.Reason) *taking {
	t := c.taking(f, d, r, path, !c.x.Log().Asks(leavesOld))
	if t != nil || c.idle(leavesOld) {
		return t
	}
	if t = c.taking(f, d, r, path, true); t != nil {
		c.stops(why, leavesOld, t.file.Pos, "it makes the file only where there is none")
	}
	return t
}

// cleaning are the kinds of effects that take something away.
var cleaning = []effects.Kind{effects.Unlock, effects.Close, effects.Remove}

// cleansUp is the file of an effect that takes away what the next holder needs: it
// removes the file, or closes or unlocks it where its lock is one of the whole
// process. It is nil for any other effect.
func (c *checker) cleansUp(r *effects.Effect) *pathexpr.Term {
	path := r.Path
	switch {
	case r.Foreign != "":
		return nil
	case r.Kind == effects.Unlock || r.Kind == effects.Close:
		if path = c.p.LockFile(r.Handle); !c.locksRecord(path) {
			return nil
		}
	case r.Kind != effects.Remove:
		return nil
	}
	return path
}

// isFresh reports whether nobody else knows a file: by its place, or by its name.
func isFresh(path *pathexpr.Term) bool { return path.Has(pathexpr.Fresh) || path.Has(pathexpr.Random) }

// locksRecord reports whether the package locks a file with a lock that belongs to
// the process.
func (c *checker) locksRecord(path *pathexpr.Term) bool {
	return c.guards.records && slices.ContainsFunc(c.openers(path), func(a acquire) bool { return a.lock.Record })
}

// frees reports whether a flag can give something up for what r cleans up: both are
// near enough to be of one purpose.
func frees(d, r *effects.Effect) bool {
	if len(d.Via) > 1 || len(r.Via) > 1 || len(d.Via)+len(r.Via) > 1 {
		return false
	}
	switch d.Kind {
	case effects.Forget, effects.Send, effects.Receive:
		return true
	}
	return false
}

// together reports whether a flag says of the file at a path that it is taken: the
// object that has the flag has one such file, or one for each of a list, or each is
// the only one of its kind.
func together(d *effects.Effect, path *pathexpr.Term) bool {
	base := d.Path
	for base.Kind == pathexpr.Field {
		base = base.Args[0]
		if path.Any(func(t *pathexpr.Term) bool { return t.Equal(base) }) {
			return d.Data != nil || fixed(path, base)
		}
	}
	return fixed(path, nil)
}

// fixed reports whether a path is the same whenever the object is.
func fixed(path, object *pathexpr.Term) bool {
	if object != nil && path.Equal(object) {
		return true
	}
	switch path.Kind {
	case pathexpr.Param, pathexpr.Unknown, pathexpr.Elem:
		return false
	case pathexpr.Field:
		return fixed(path.Args[0], object)
	}
	return !slices.ContainsFunc(path.Args, func(t *pathexpr.Term) bool { return !fixed(t, object) })
}

// spans reports whether f holds a mutex from one effect to the other.
func spans(f *effects.Func, d, r *effects.Effect) bool {
	if r.When == effects.Spawned && d.When != effects.Spawned {
		return false
	}
	return find(mutexes(f, d), func(m *effects.Effect) bool { return !releasedBetween(f, m, d, r) }) != nil
}

// spanned reports whether a caller of f holds a mutex from one effect to the
// other.
func (c *checker) spanned(f *effects.Func, d, r *effects.Effect) bool {
	return slices.ContainsFunc(f.CalledBy, func(g *effects.Func) bool {
		gd := find(flagEffects(c.p, g), func(e *effects.Effect) bool { return e.Pos == d.Pos && e.Kind == d.Kind })
		gr := find(g.Effects, func(e *effects.Effect) bool { return e.Pos == r.Pos && e.Kind == r.Kind })
		return gd != nil && gr != nil && spans(g, gd, gr)
	})
}

// taking finds who takes what a flag has given up, and then makes the file: also only where
// there is none, if old is true.
func (c *checker) taking(f *effects.Func, d, r *effects.Effect, path *pathexpr.Term, old bool) *taking {
	name := d.Path.Abstract()
	if name == "" {
		return nil
	}
	for _, a := range c.openers(path) {
		g, file := a.f, a.lock
		if g == f && !f.Precedes(file, d) || len(file.Via) > 1 || file.When != effects.Inline || r.Kind != effects.Remove && !file.Record || !old && c.refusesOld(g, file) {
			continue
		}
		for _, flag := range flagEffects(c.p, g) {
			if flag.Path.Abstract() != name || !flag.Shared || !effects.Before(flag, file) {
				continue
			}
			if d.Kind != effects.Forget {
				if (flag.Kind == effects.Send || flag.Kind == effects.Receive) && flag.Kind != d.Kind && c.token(f, d, g, flag) {
					return &taking{g, flag, file, flag}
				}
				continue
			}
			claim := find(flagEffects(c.p, g), func(e *effects.Effect) bool {
				return e.Kind == effects.Claim && e.Path.Abstract() == name && !effects.OneCall(e, file)
			})
			if flag.Kind == effects.Consult && claim != nil && (effects.OneCall(flag, claim) || refuses(c.p, flag, claim)) && refuses(c.p, flag, file) {
				return &taking{g, flag, file, claim}
			}
		}
	}
	return nil
}

// refusesOld reports whether g makes a file only if there is none, and leaves one
// that is there alone: it does not lose what it could not make.
func (c *checker) refusesOld(g *effects.Func, file *effects.Effect) bool {
	return file.Kind == effects.CreateExclusive && find(g.OfKind(effects.Remove), func(e *effects.Effect) bool {
		return memory.SameFile(e.Path, file.Path) && c.p.Remakes(g, e, file)
	}) == nil
}

// token reports whether f gives a token back and g takes it: the channel is a
// mutex.
func (c *checker) token(f *effects.Func, d *effects.Effect, g *effects.Func, flag *effects.Effect) bool {
	if c.locks == nil {
		c.locks = locks.Of(c.p)
	}
	has := func(f *effects.Func, at *effects.Effect, mode locks.Mode) bool {
		return slices.ContainsFunc(c.locks.Funcs, func(l *locks.Func) bool {
			return l.SSA == f.SSA && slices.ContainsFunc(l.Events, func(ev *locks.Event) bool {
				return ev.Mode == mode && (ev.Instr == at.At || ev.Pos == at.Pos)
			})
		})
	}
	return has(f, d, locks.Free) && has(g, flag, locks.Writing)
}

// openers are the places of the package that make or lock a file.
func (c *checker) openers(path *pathexpr.Term) []acquire {
	if c.opened == nil {
		c.opened = map[string][]acquire{}
		for _, f := range c.p.Funcs {
			for _, e := range f.Effects {
				if opens(e) {
					for _, key := range bothKeys(e.Path) {
						c.opened[key] = append(c.opened[key], acquire{f, e})
					}
				}
			}
		}
	}
	var list []acquire
	for _, key := range bothKeys(path) {
		list = append(list, c.opened[key]...)
	}
	return list
}

// bothKeys are the families of a path, as it is and with its fields replaced by
// what they hold.
func bothKeys(path *pathexpr.Term) []string {
	if path == nil {
		return nil
	}
	var list []string
	for _, key := range []string{path.Abstract(), path.Expanded().Abstract()} {
		if key != "" && !slices.Contains(list, key) {
			list = append(list, key)
		}
	}
	return list
}

// statementAt is the innermost statement of a function at a position.
func statementAt(f *effects.Func, pos token.Pos) ast.Node {
	var at ast.Node
	ast.Inspect(f.SSA.Syntax(), func(n ast.Node) bool {
		switch n.(type) {
		case *ast.AssignStmt, *ast.ExprStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt:
			if n.Pos() <= pos && pos < n.End() {
				at = n
			}
		}
		return true
	})
	return at
}

func (c *checker) addFlag(f *effects.Func, d, r *effects.Effect, path *pathexpr.Term, t *taking, why []verdict.Reason) {
	pos := d.Pos
	if call := outer(d); call != nil {
		pos = call.Pos()
	}
	release, clean := statementAt(f, pos), callOf(c.p, f, r)
	if release == nil || clean == nil {
		return
	}
	fd := about(d, "registry")
	fd.Pos, fd.End, fd.Func = release.Pos(), release.End(), f.Name()
	gives := "frees " + named(d.Path)
	if d.Kind != effects.Forget {
		gives = "gives back the token of " + named(d.Path)
	}
	before, does, loses := early(r)
	fd.Sentence = fmt.Sprintf("%s %s %s %s: %s %s", fd.Func, gives, before, named(path), t.f.Name(), loses)
	fd.Claim = "keeps others from the file"
	fd.Evidence = []finding.Evidence{
		{Pos: t.consult.Pos, Text: memory.FuncName(t.consult.In) + " does not go on where it is taken"},
		{Pos: t.flag.Pos, Text: memory.FuncName(t.flag.In) + " takes it"},
		{Pos: t.file.Pos, Text: memory.FuncName(t.file.In) + " then makes or locks the file"},
	}
	fd.Schedule = []finding.Step{
		{Actor: "goroutine A", Pos: release.Pos(), Does: gives + "; the file is still there", Memory: "no owner of the file"},
		{Actor: "goroutine B", Pos: t.consult.Pos, Does: "finds it free, and takes it", Memory: "B as the owner of the file"},
		{Actor: "goroutine B", Pos: t.file.Pos, Does: "makes or locks the file, and counts on it"},
		{Actor: "goroutine A", Pos: clean.Pos(), Does: does + " the file that is B's now", File: left(r)},
	}
	fd.Remedy = finding.ReleaseLast{Release: releaseOf(d, release), Cleanup: clean}
	if d.Kind != effects.Forget {
		fd.Remedy, fd.NoFix = nil, "who waits for the token is for you to say"
	}
	c.add(&candidate{finding: fd, rank: 1, via: len(d.Via), by: t.reasons(), why: why})
}

// releaseOf is what gives up a flag: a call, or the statement.
func releaseOf(d *effects.Effect, stmt ast.Node) ast.Node {
	if call := outer(d); call != nil {
		return call
	}
	return stmt
}

// mutexes lists what takes the mutexes that f has at an effect: the last that it did
// to them on every way there was to take them.
func mutexes(f *effects.Func, e *effects.Effect) []*effects.Effect {
	last := map[string]*effects.Effect{}
	for _, m := range f.OfKind(effects.Acquire, effects.Release) {
		if m.Path == nil || effects.OneCall(m, e) || !effects.Before(m, e) {
			continue
		}
		if old := last[m.Path.Key()]; old == nil || effects.Before(old, m) {
			last[m.Path.Key()] = m
		}
	}
	var list []*effects.Effect
	for _, key := range slices.Sorted(maps.Keys(last)) {
		if m := last[key]; m.Kind == effects.Acquire {
			list = append(list, m)
		}
	}
	return list
}

// releasedBetween reports whether f lets go of the mutex that m takes between two effects.
func releasedBetween(f *effects.Func, m, from, to *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(effects.Release), func(u *effects.Effect) bool {
		return memory.SameFile(u.Path, m.Path) && f.Precedes(from, u) && f.Precedes(u, to)
	})
}
