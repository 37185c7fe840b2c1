package lostupdate

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// variables reports the package variables that functions change and save to the file from
// which another function has loaded them, before.
func (c *checker) variables() []*finding.Finding {
	var out []*finding.Finding
	for _, f := range c.p.Funcs {
		for _, w := range f.Effects {
			s := c.savedVariable(f, w)
			if s == nil {
				continue
			}
			at := s.last.Here().Pos()
			k := c.candidateAt(at, f)
			if k.Reported {
				continue
			}
			if !k.Is("stale").Says(loadedBefore, at, "another function has loaded "+s.write.Object.String()) || s.isExcused(c, k.Says) {
				continue
			}
			if found := c.judgeStale(s, k); found != nil {
				k.Reported = true
				out = append(out, found)
				break
			}
		}
	}
	return out
}

// savedVariable is the saving of a package variable that f changes before, and that only
// another function loads from the file, which every process of the user finds; nil for
// any other write.
func (c *checker) savedVariable(f *effects.Func, w *effects.Effect) *saving {
	if w.Kind != effects.Write && w.Kind != effects.Replace || w.Object != nil || w.When != effects.Inline || w.At == nil || len(w.Via) > maxSave {
		return nil
	}
	i := slices.IndexFunc(w.From, func(s memory.Source) bool { return s.Term != nil && memory.RootOf(s.Term).Kind == pathexpr.Global })
	if i < 0 {
		return nil
	}
	object := memory.RootOf(w.From[i].Term)
	file, last := f.Saves(w)
	if file == nil || last.Here() == nil || fills(f, object) != nil || !c.assigns(f, w, object) || !inSharedPlace(c.p, file) {
		return nil
	}
	if !slices.ContainsFunc(c.p.Funcs, func(g *effects.Func) bool {
		load := fills(g, object)
		return load != nil && slices.ContainsFunc(load.From, func(s memory.Source) bool { return s.File() != nil && memory.SameFile(s.File(), file) })
	}) {
		return nil
	}
	own := *w
	own.Object = object
	return &saving{f: f, write: &own, last: last, file: file, kept: true, variable: true}
}

// fills is where a function loads an object, nil where it does not.
func fills(f *effects.Func, object *pathexpr.Term) *effects.Effect {
	i := slices.IndexFunc(f.Effects, func(e *effects.Effect) bool {
		return e.Kind == effects.Fill && e.Object != nil && e.Object.Key() == object.Key()
	})
	if i < 0 {
		return nil
	}
	return f.Effects[i]
}

// assigns reports whether f itself changes memory of an object before it writes.
func (c *checker) assigns(f *effects.Func, w *effects.Effect, object *pathexpr.Term) bool {
	for _, b := range f.SSA.Blocks {
		for _, i := range b.Instrs {
			if at := changed(i); at != nil && c.p.Flow.Reaches(i, w.At) {
				if m := c.p.Memory(at); m != nil && memory.RootOf(m).Key() == object.Key() {
					return true
				}
			}
		}
	}
	return false
}

// isExcused reports whether a rule speaks against the saving of a package variable.
func (s *saving) isExcused(c *checker, says listener) bool {
	at, f := s.last.Here().Pos(), s.f
	if lexicon.CallersLock(f.SSA.Name()) && says(lockedName, at, "its name says that callers have the lock") ||
		seldom(f.SSA) && says(once, at, "it is named for what is done once") ||
		begins(f) && says(beginning, at, "it is named for making what it saves") {
		return true
	}
	if l := cycles.Spanning(c.p.Package, f, effects.Lock, s.write, s.write, s.file); l != nil && says(otherLock, l.Pos, "a lock is held at the save") {
		return true
	}
	return c.p.Callers().Always(f.SSA, func(call ssa.CallInstruction) bool {
		g := c.p.Of(call.Parent())
		if g == nil {
			return false
		}
		load := fills(g, s.write.Object)
		return cycles.LockedAt(c.p.Package, g, call) || load != nil && load.When == effects.Inline && c.p.Flow.Dominates(load.At, call)
	}) && says(loadedByCallers, f.SSA.Pos(), s.write.Object.String()+" is loaded, or a lock is held, where it is called")
}
