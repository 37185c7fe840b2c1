package tornwrite

import (
	"fmt"
	"slices"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// overwriting judges a cut of a file that f has decoded, and then written over
// through the same handle.
func (c *checker) overwriting(f *effects.Func, cut *effects.Effect) {
	w := overwrite(f, cut)
	if w == nil || w.Path == nil || hasOwnLock(f, w) && c.candidate(w).Says(ownLock, w.Pos, "the file is its own lock, and kept") {
		return
	}
	v, ev := c.holdsState(c.candidate(w).Is("inplace"), f, w, w.Path, evidence.Manner{Emptied: true})
	if !v.State {
		return
	}
	k := &candidate{root: f, write: w, locked: cycles.Locked(c.p.Package, f, w, w.Path), alone: byOwner(c.p, f, w)}
	k.finding, k.guarded = overwritten(f, w, cut, ev, "a crash or a reader in between meets"), overwritten(f, w, cut, ev, "a crash in between leaves")
	k.finding.Schedule = slices.Insert(k.finding.Schedule, 1, c.reading(f, w, "reads it and gets the new content with the tail of the old"))
	c.add(k)
}

// overwrite is the write in front of a cut by which a file gets its new content; nil
// where f has not decoded the old one through the handle.
func overwrite(f *effects.Func, cut *effects.Effect) *effects.Effect {
	var write *effects.Effect
	decoded := false
	for _, e := range f.Effects {
		switch {
		case !effects.Reaches(e, cut):
		case e.Kind == effects.Decode && e.Data.Any(func(t *pathexpr.Term) bool { return t.Kind == pathexpr.Content && sameHandle(t.Args[0], cut.Handle) }):
			decoded = true
		case decoded && e.Kind == effects.Write && e.On(cut.Handle):
			write = e
		}
	}
	return write
}

func sameHandle(a, b *pathexpr.Term) bool { return b != nil && a.File().Equal(b.File()) }

// overwritten is what is said of it.
func overwritten(f *effects.Func, w, cut *effects.Effect, ev []finding.Evidence, between string) *finding.Finding {
	path := w.Path.Named("a file")
	out := about(w, "inplace", ev)
	out.Sentence = fmt.Sprintf("%s writes over what %s holds and cuts it afterwards: %s a mixture of both", out.Func, path, between)
	out.Schedule = []finding.Step{
		{Actor: "process A", Pos: w.Pos, Does: "writes over the beginning of " + path, File: "new bytes, then the old tail"},
		{Actor: "process A", Pos: cut.Pos, Does: "is killed, or the disk is full, before the rest is cut off", File: "a part of the new content, then the old tail"},
	}
	out.NoFix = "the file is read and written through one handle"
	return out
}
