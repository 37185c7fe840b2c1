package lostupdate

import (
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
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
			if !k.Is("stale").Says(loadedBefore, at, "another function has loaded "+s.write.Object.Subject()) || s.excused(c, k.Says) {
				continue
			}
			if found := c.judgeStale(s, k); found != nil {
				k.Reported = true
				c.savesBy(s.last)
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
	if file == nil || last.Here() == nil || fills(f, object) != nil || !changes(c.p, f, w, object) || !inSharedPlace(c.p, file) {
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
	return &saving{f: f, write: &own, last: last, file: file, notReloaded: true, variable: true}
}

// fills is where a function loads an object, nil where it does not.
func fills(f *effects.Func, object *pathexpr.Term) *effects.Effect {
	i := slices.IndexFunc(f.Effects, func(e *effects.Effect) bool {
		return e.Kind == effects.Fill && e.Object != nil && e.Object.Equal(object)
	})
	if i < 0 {
		return nil
	}
	return f.Effects[i]
}
