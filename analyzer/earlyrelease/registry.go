package earlyrelease

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// registry reports the entries of registries that f deletes before it removes
// the file from which they keep others.
func (c *checker) registry(f *effects.Func) {
	for _, d := range f.OfKind(effects.Forget) {
		for _, r := range f.OfKind(effects.Remove) {
			path := r.Path
			if r.Foreign != "" || path == nil || !f.Precedes(d, r) || !concerns(d, path) {
				continue
			}
			if effects.OneCall(d, r) || len(d.Via)+len(r.Via) > 1 {
				continue // the function that is called judges it, or two are called, each for a purpose of its own
			}
			if t := c.nextOwner(f, d, path); t != nil {
				c.addRegistry(f, d, r, t)
			}
		}
	}
}

// concerns reports whether the file at a path belongs to the entry that d deletes: both are named
// by the same object or text.
func concerns(d *effects.Effect, path *pathexpr.Term) bool {
	own := map[string]bool{
		pathexpr.New(pathexpr.Elem, "", d.Path).Key():         true,
		pathexpr.New(pathexpr.Elem, "", d.Path, d.Data).Key(): true,
		d.Data.Key(): d.Data.Kind == pathexpr.Elem,
	}
	d.Data.Any(func(t *pathexpr.Term) bool {
		switch t.Kind {
		case pathexpr.Param, pathexpr.Unknown, pathexpr.Field, pathexpr.Call:
			own[t.Key()] = true
		}
		return t.Kind == pathexpr.Elem // of which entry is not said
	})
	return path.Any(func(t *pathexpr.Term) bool { return own[t.Key()] })
}

// guarded reports whether a mutex is held from the deletion until the removal.
// What a goroutine does is done without it.
func guarded(f *effects.Func, d, r *effects.Effect) bool {
	if r.When == effects.Spawned && d.When != effects.Spawned {
		return false
	}
	return find(f.OfKind(effects.Acquire), func(m *effects.Effect) bool { return f.Precedes(m, d) && !leaves(f, m, m, r) }) != nil
}

// leaves reports whether the mutex of m is released between two effects.
func leaves(f *effects.Func, m, from, to *effects.Effect) bool {
	return find(f.OfKind(effects.Release), func(u *effects.Effect) bool {
		return memory.SameFile(u.Path, m.Path) && f.Precedes(from, u) && f.Precedes(u, to)
	}) != nil
}

// inMutex reports whether a registry is used as one that goroutines share.
func inMutex(f *effects.Func, d *effects.Effect) bool {
	return d.Shared || find(f.OfKind(effects.Acquire), func(m *effects.Effect) bool {
		return f.Precedes(m, d) && !leaves(f, m, m, d)
	}) != nil
}

// A taking is how a function of the package claims the file that a registry guards:
// it looks for an entry, adds its own, and then creates or locks the file.
type taking struct {
	f                    *effects.Func
	consult, entry, file *effects.Effect
}

// nextOwner is a function that can create the file at a path as soon as its entry is
// deleted; nil for none.
func (c *checker) nextOwner(f *effects.Func, d *effects.Effect, path *pathexpr.Term) *taking {
	name := d.Path.PackageKey()
	if name == "" {
		return nil
	}
	if c.takings == nil {
		c.takings = indexTakings(c.p)
	}
	for _, t := range c.takings[name] {
		if t.f == f {
			continue
		}
		file := find(t.f.OfKind(opening...), func(e *effects.Effect) bool {
			return oneFamily(e.Path, path) && t.f.Precedes(t.consult, e)
		})
		if file != nil {
			return &taking{f: t.f, consult: t.consult, entry: t.entry, file: file}
		}
	}
	return nil
}

// indexTakings finds the functions that look for an entry of a registry and make one, by
// the name of the registry.
func indexTakings(p *effects.Package) map[string][]*taking {
	takings := map[string][]*taking{}
	for _, f := range p.Funcs {
		own := map[string]*taking{}
		for _, e := range f.OfKind(effects.Consult, effects.Claim) {
			name := e.Path.PackageKey()
			t := own[name]
			if t == nil {
				t = &taking{f: f}
				own[name] = t
			}
			switch {
			case e.Kind == effects.Consult && t.consult == nil:
				t.consult = e
			case e.Kind == effects.Claim && t.entry == nil:
				t.entry = e
			}
		}
		for name, t := range own {
			if t.consult != nil && t.entry != nil {
				takings[name] = append(takings[name], t)
			}
		}
	}
	return takings
}

// oneFamily reports whether two paths of different functions can be one file:
// they are made alike.
func oneFamily(a, b *pathexpr.Term) bool {
	same := func(a, b *pathexpr.Term) bool {
		key := a.PackageKey()
		return key != "" && key == b.PackageKey()
	}
	return same(a, b) || same(a.Expanded(), b.Expanded())
}

// isFresh reports whether nobody else knows a file: by its place, or by its name.
func isFresh(path *pathexpr.Term) bool { return path.Has(pathexpr.Fresh) || path.Has(pathexpr.Random) }

// opening are the kinds of effects that make a file or lock it.
var opening = []effects.Kind{effects.CreateExclusive, effects.Truncate, effects.Open, effects.Append, effects.Lock, effects.Replace}

// outer is the call in the function that has the effect, or leads to it.
func outer(e *effects.Effect) *ast.CallExpr {
	if len(e.Via) > 0 {
		return e.Via[0]
	}
	return e.Call
}

func (c *checker) addRegistry(f *effects.Func, d, r *effects.Effect, t *taking) {
	release, clean := outer(d), outer(r)
	if release == nil || clean == nil {
		return
	}
	var why []verdict.Reason
	against := func(holds bool, by *verdict.Rule, pos token.Pos, text string) {
		if holds {
			why = append(why, verdict.Reason{Rule: by, Pos: pos, Text: text})
		}
	}
	against(isFresh(r.Path), freshPlace, r.Pos, "nobody else knows the file")
	against(guarded(f, d, r), mutexSpans, r.Pos, "a mutex is held until the clean-up is done")
	against(!inMutex(f, d), unshared, d.Pos, "no mutex is held")
	by := verdict.Reason{
		Rule: takenByOthers, Pos: t.consult.Pos, Text: t.f.Name() + " takes it, and then makes or locks the file",
	}
	c.add(&candidate{finding: registryFinding(f, d, r, t), rank: 1, via: len(d.Via), by: by, why: why})
}

// registryFinding says what happens where the entry d is deleted before the removal r, and t takes it.
func registryFinding(f *effects.Func, d, r *effects.Effect, t *taking) *finding.Finding {
	release, clean := outer(d), outer(r)
	fd := about(d, "registry")
	fd.Pos, fd.End, fd.Func = release.Pos(), release.End(), f.Name()
	does := "it removes"
	if r.When == effects.Spawned {
		does = "a goroutine removes"
	}
	fd.Sentence = fmt.Sprintf("%s deletes the file's entry in %s before %s %s: %s can make the file again in between, and loses it",
		fd.Func, named(d.Path), does, named(r.Path), t.f.Name())
	fd.Claim = "keeps others from the file"
	fd.Evidence = []finding.Evidence{
		{Pos: t.consult.Pos, Text: fmt.Sprintf("%s looks for an entry first", memory.FuncName(t.consult.In))},
		{Pos: t.entry.Pos, Text: fmt.Sprintf("%s makes one", memory.FuncName(t.entry.In))},
		{Pos: t.file.Pos, Text: fmt.Sprintf("%s then makes or locks the file", memory.FuncName(t.file.In))},
	}
	fd.Schedule = []finding.Step{
		{
			Actor: "goroutine A", Pos: release.Pos(),
			Does: "deletes the entry; the file is still there", Memory: "no entry of the file",
		},
		{
			Actor: "goroutine B", Pos: t.consult.Pos,
			Does: "finds no entry, and makes its own", Memory: "the entry of B",
		},
		{
			Actor: "goroutine B", Pos: t.file.Pos,
			Does: "makes the file, or takes over what A left, and counts on it",
			Acts: []finding.Act{finding.LocksRemoved},
		},
		{
			Actor: "goroutine A", Pos: clean.Pos(),
			Does: "removes the file that is B's now", File: "nothing: it is gone",
		},
	}
	fd.Remedy = finding.ReleaseLast{Release: release, Cleanup: clean}
	return fd
}
