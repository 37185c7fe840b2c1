package racycreate

import (
	"fmt"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
)

// takeover judges a removal or renaming of a file that f makes again: of two
// processes that find the same stale file, the slower one takes away the fresh
// file of the faster one.
func (c *checker) takeover(f *effects.Func, gone *effects.Effect) {
	if gone.Path == nil || gone.When != effects.Inline || c.x.Generated(gone.Pos) {
		return
	}
	made := c.remade(f, gone)
	if made == nil || c.reported[made.Pos] || lockedItself(f, made) || gone.Kind == effects.Rename && lookedAt(f, gone) {
		return
	}
	for _, ask := range f.OfKind(effects.Stat, effects.Read) {
		if !asks(ask) || !memory.SameFile(ask.Path, gone.Path) && !(made.Kind == effects.MakeDir && ask.Path.Path().Extends(gone.Path.Path())) {
			continue
		}
		at, inner, ok := c.meet(f, ask, gone)
		if !ok {
			continue
		}
		a, g := same(inner, ask), same(inner, gone)
		if a == nil || g == nil || !c.p.Depends(inner, a, g) {
			continue
		}
		claim := c.x.Claim(f, made)
		s := c.at(at.Pos())
		s.contexts = append(s.contexts, context{f, f.Locked(gone)})
		if s.finding == nil && len(claim) > 0 {
			s.finding = c.about(variantOf(gone), inner, at, claim, nil)
			describe(s.finding, ask, gone, made)
			s.finding.Remedy, s.finding.NoFix = c.takenOver(inner, gone, made)
		}
		return
	}
}

// remade is how f makes the file again that gone takes away: exclusively, so that
// it is a lock, or in a function that is named as the taking of one. A pid file
// that a process only leaves for others to find is neither.
func (c *checker) remade(f *effects.Func, gone *effects.Effect) *effects.Effect {
	list := c.takings(f)
	i := slices.IndexFunc(list, func(e *effects.Effect) bool {
		return memory.SameFile(e.Path, gone.Path) && c.p.Remakes(f, gone, e)
	})
	if i < 0 {
		return nil
	}
	return list[i]
}

// takings lists the effects of f by which it could take a lock, once for all that it
// takes away.
func (c *checker) takings(f *effects.Func) []*effects.Effect {
	list, ok := c.taking[f]
	if !ok {
		acquires := lexicon.Acquires(f.SSA.Name())
		for _, e := range c.makings(f) {
			if !e.Makes || e.Kind == effects.CreateExclusive || acquires {
				list = append(list, e)
			}
		}
		c.taking[f] = list
	}
	return list
}

// lookedAt reports whether f looks at a file once it is renamed.
func lookedAt(f *effects.Func, gone *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(effects.Stat, effects.Read), func(e *effects.Effect) bool {
		return asks(e) && memory.SameFile(e.Path, gone.Target)
	})
}

func variantOf(gone *effects.Effect) string {
	if gone.Kind == effects.Rename {
		return "aside"
	}
	return "reclaim"
}

// describe tells how two processes take over one stale file.
func describe(f *finding.Finding, ask, gone, made *effects.Effect) {
	path, takes := gone.Path.Named("its file"), "removes"
	if gone.Kind == effects.Rename {
		takes = "renames"
	}
	f.Sentence = fmt.Sprintf("%s %s %s where it takes it for stale: of two processes that do, the slower one %s the fresh file of the faster one, and both go on", f.Func, takes, path, takes)
	f.CoversAround = []string{"earlyrelease/twice"} // its release is part of the same design
	f.Schedule = []finding.Step{
		{Actor: "process A", Pos: ask.Pos, Does: "takes " + path + " for stale"},
		{Actor: "process B", Pos: ask.Pos, Does: "takes the same file for stale"},
		{Actor: "process A", Pos: gone.Pos, Does: takes + " it"},
		{Actor: "process A", Pos: made.Pos, Does: "makes its own and goes on as its owner"},
		{Actor: "process B", Pos: gone.Pos, Does: takes + " what A has just made"},
		{Actor: "process B", Pos: made.Pos, Does: "makes its own and goes on as its owner, too"},
	}
}

// takenOver asks for a lock that needs no taking over.
func (c *checker) takenOver(inner *effects.Func, gone, made *effects.Effect) (finding.Remedy, string) {
	if made.In != inner.SSA {
		return nil, "it is made in one function and taken away in another; safeio.TryLock needs no taking over, as the system lets go for a process that died"
	}
	return c.held(made, nil)
}
