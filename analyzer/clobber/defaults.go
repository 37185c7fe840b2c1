package clobber

import (
	"slices"

	"github.com/lockvet/lockvet/internal/cycles"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// defaults reports where a function that cannot decode a file saves something else over it.
func (c *checker) defaults(f *effects.Func) {
	for _, d := range f.OfKind(effects.Decode) {
		file := failure.File(d)
		if file == nil || d.When != effects.Inline || d.Here() == nil {
			continue
		}
		for _, w := range f.OfKind(effects.Write, effects.Replace) {
			to, last := f.Saves(w)
			if to == nil || w.When != effects.Inline || !memory.SameFile(to, file) || heldBy(w, file) || !c.p.Broken(f, d, last) {
				continue
			}
			l := &loss{Ignored: &failure.Ignored{Failed: d, In: f, Call: d.Here(), Own: true}, file: to, saver: f, write: w, last: last, replaced: true}
			k := c.candidate(l)
			if k.Says(savesDefault, last.Pos, f.Name()+" saves it") &&
				!(cycles.IsCache(to) && k.Says(cache, last.Pos, "it is named as a cache")) {
				c.report(l, k)
			}
			break
		}
	}
}

// heldBy reports whether what an effect writes comes from a file.
func heldBy(w *effects.Effect, file *pathexpr.Term) bool {
	return slices.ContainsFunc(w.From, func(s memory.Source) bool { return s.File() != nil && memory.SameFile(s.File(), file) })
}
