package tornwrite

import (
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// journaled reports whether a write that is cut short is made good later: it puts
// a backup back, or its function both keeps one of what the file held and puts it
// back where it finds one, before the write or behind it.
func journaled(f *effects.Func, w *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(effects.Write), func(e *effects.Effect) bool {
		b := backup(e, w.Path)
		return b != nil && (e.On(w.Handle) || keeps(f, w.Path, b) && (effects.Reaches(w, e) || effects.Reaches(e, w)))
	})
}

// backup is the path of the copy that an effect puts back in the place of a file:
// its name is made of the file's and says so.
func backup(e *effects.Effect, file *pathexpr.Term) *pathexpr.Term {
	if e.Kind != effects.Write || !memory.SameFile(e.Path, file) {
		return nil
	}
	from := copied(e)
	if from == nil || memory.SameFile(from, file) || !from.Any(func(t *pathexpr.Term) bool { return t.Equal(file) }) {
		return nil
	}
	if !slices.ContainsFunc(append(pathexpr.Names(from), pathexpr.Constants(from)...), namedBackup) {
		return nil
	}
	return from
}

// keeps reports whether the function copies a file to its backup.
func keeps(f *effects.Func, file, backup *pathexpr.Term) bool {
	return slices.ContainsFunc(f.OfKind(effects.Write), func(e *effects.Effect) bool {
		return memory.SameFile(e.Path, backup) && memory.SameFile(copied(e), file)
	})
}

// copied is the path of the file whose content is written, nil for other content.
func copied(e *effects.Effect) *pathexpr.Term {
	if e.Data == nil || e.Data.Kind != pathexpr.Content {
		return nil
	}
	return e.Data.Args[0].Path()
}

// namedBackup reports whether a name is one for what a file held before.
func namedBackup(name string) bool {
	return slices.ContainsFunc(lexicon.Words(name), func(w string) bool {
		return w == "backup" || w == "bak" || w == "rollback"
	})
}
