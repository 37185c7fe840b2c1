package tornwrite

import (
	"fmt"
	"path"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A staging is a directory in which a run collects files, from which it moves them
// to where they belong, and which it removes again.
type staging struct {
	root                *effects.Func
	made, moved, remove *effects.Effect
}

// stage is the staging in a directory that the function makes where it is not there;
// nil for any other directory.
func stage(root *effects.Func, made *effects.Effect) *staging {
	s := &staging{root: root, made: made}
	for _, e := range root.OnFile(made.Path, effects.Remove) {
		if e.When == effects.Deferred || effects.Before(made, e) {
			s.remove = e
		}
	}
	if s.remove == nil {
		return nil
	}
	for _, e := range root.OfKind(effects.Rename) {
		if e.Path.Under(made.Path.Path()) && !e.Target.Under(made.Path.Path()) {
			s.moved = e
		}
	}
	if s.moved == nil {
		return nil
	}
	return s
}

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
	for ; f != nil; f, w = c.p.Of(w.Of.At.Parent()), w.Of {
		if renamesAround(f, w) {
			return true
		}
		if w.Of == nil || w.Of.At == nil {
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

// shared reports whether every run computes the same name: nothing in it is of one
// run, and the user does not choose it. What a program without a place of its own
// collects below its working directory is the user's.
func (s *staging) shared() bool {
	dir := s.made.Path.Path()
	for _, kind := range []pathexpr.Kind{pathexpr.Fresh, pathexpr.Random, pathexpr.Pid, pathexpr.Input, pathexpr.Alt} {
		if dir.Has(kind) {
			return false
		}
	}
	if s.made.Foreign != "" || dir.Kind != pathexpr.Join {
		return false
	}
	last := dir.Last()
	return last.Kind == pathexpr.Const && !slices.ContainsFunc(dir.Args[:1], relative)
}

func relative(t *pathexpr.Term) bool { return t.Kind == pathexpr.Const && !path.IsAbs(t.Text) }

// finding is what is said of it where no lock keeps the runs apart.
func (s *staging) finding() *finding.Finding {
	dir := s.made.Path.Named("a directory")
	f := about(s.made, "fixedtemp", []finding.Evidence{
		{Pos: s.moved.Pos, Text: "what is collected in it is moved to " + s.moved.Target.Named("its place")},
		{Pos: s.remove.Pos, Text: "every run removes it with all that is in it"},
	})
	f.Claim = "is shared"
	f.Sentence = fmt.Sprintf("%s collects files in %s, a name that every run shares: the run that ends first removes what another has collected", f.Func, dir)
	f.Schedule = []finding.Step{
		{Actor: "process A", Pos: s.made.Pos, Does: "makes " + dir + " and starts to collect files in it"},
		{Actor: "process B", Pos: s.made.Pos, Does: "finds the directory there and collects its own in it"},
		{Actor: "process A", Pos: s.remove.Pos, Does: "has moved its files and removes the directory, with what B has collected"},
		{Actor: "process B", Pos: s.moved.Pos, Does: "moves what is left of its files, and of A's"},
	}
	f.NoFix = "os.MkdirTemp makes a directory for each run; see first who else knows its name"
	return f
}
