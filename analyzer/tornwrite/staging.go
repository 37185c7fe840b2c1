package tornwrite

import (
	"path"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// isUnfinished reports whether a file has the extension of one that is put together.
func isUnfinished(file *pathexpr.Term) bool {
	names := pathexpr.Constants(file.Last())
	if len(names) == 0 {
		return false
	}
	word, _ := lexicon.Staging.Words.In(path.Ext(names[len(names)-1]))
	return word != ""
}

// movesAway reports whether f, or what it calls on the way to w, renames the directory in which w
// writes a file, once that is written, to where it belongs: it has made it, or its name says that it
// is not done. Whoever looks there finds all of the file. Where f comes to w by several calls, only the
// one on the way says what happens after each.
func (c *checker) movesAway(f *effects.Func, w *effects.Effect) bool {
	for ; f != nil; f, w = c.p.Of(w.CalleeEffect.At.Parent()), w.CalleeEffect {
		if renamesAround(f, w) {
			return true
		}
		if w.CalleeEffect == nil || w.CalleeEffect.At == nil {
			break
		}
	}
	return false
}

func renamesAround(f *effects.Func, w *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(effects.Rename), func(e *effects.Effect) bool {
		if w.Path == nil || e.Path == nil || e.Target == nil || !w.Path.Under(e.Path.Path()) || !effects.Before(w, e) {
			return false
		}
		word, _ := lexicon.Staging.Words.In(pathexpr.Constants(e.Path.Path().Last())...)
		return word != "" || slices.ContainsFunc(f.OfKind(effects.MakeDir, effects.EnsureDir), func(made *effects.Effect) bool {
			return memory.SameFile(made.Path, e.Path) && effects.Before(made, w)
		})
	})
}
