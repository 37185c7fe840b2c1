package racycreate

import (
	"fmt"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// placeheld judges an empty file that a function makes under a name which its
// caller chose, and removes again where it fails: the name is all that there is to
// it, and the one who fails removes it for the other, too.
func (c *checker) placeheld(f *effects.Func, made *effects.Effect) (*verdict.Candidate, *finding.Finding) {
	path := pathOf(made).Path()
	if made.Kind != effects.Truncate || !made.Opens || !fromCaller(path) || !lexicon.Makes(f.SSA.Name()) || !empty(f, made) {
		return nil, nil
	}
	gone := cleared(f, made)
	if gone == nil {
		return nil, nil
	}
	k := c.candidate(f, made.Pos)
	if !k.Says(nameCounts, made.Pos, "nothing is written to it, and "+f.Name()+" removes it again") ||
		c.x.Supports(path) && k.Says(serves, made.Pos, "the package serves tests, builds or demonstrations") {
		return nil, nil
	}
	fd := c.about("placeholder", f, made.Call, nil, nil)
	name := path.Named("a file")
	fd.Evidence = []finding.Evidence{
		{Pos: made.Pos, Text: f.Name() + " writes nothing to it: its name is what counts"},
		{Pos: gone.Pos, Text: f.Name() + " removes it again"},
	}
	fd.Sentence = fmt.Sprintf("%s makes %s by a call that takes an existing one as well: of two that choose the same name both go on, and the one that fails removes the file of the other", fd.Func, name)
	fd.Schedule = []finding.Step{
		{Actor: "process A", Pos: made.Pos, Does: "makes " + name + " and goes on as its owner"},
		{Actor: "process B", Pos: made.Pos, Does: "takes the same file for its own"},
		{Actor: "process B", Pos: gone.Pos, Does: "fails and removes what A counts on"},
	}
	fd.Covers = []string{"tornwrite/inplace"}
	fd.NoFix = "what is to be done with one that is there only its author can say"
	return k, fd
}

// fromCaller reports whether the last part of a path is what the caller gave, and
// nothing else.
func fromCaller(path *pathexpr.Term) bool {
	last := path.Last()
	return path.Kind == pathexpr.Join && last.Kind == pathexpr.Param && last.Type == ""
}

// empty reports whether a function does nothing with a file that it makes but
// close it.
func empty(f *effects.Func, made *effects.Effect) bool {
	closed := false
	for _, e := range f.Effects {
		if e == made || !e.On(made.Handle) {
			continue
		}
		if e.Kind != effects.Close {
			return false
		}
		closed = closed || e.When == effects.Inline
	}
	return closed
}

// cleared is where a function removes a file that it made when it returns, nil
// where it does not.
func cleared(f *effects.Func, made *effects.Effect) *effects.Effect {
	i := slices.IndexFunc(f.Effects, func(e *effects.Effect) bool {
		return e.Kind == effects.Remove && e.When == effects.Deferred && memory.SameFile(e.Path, pathOf(made))
	})
	if i < 0 {
		return nil
	}
	return f.Effects[i]
}
