package racycreate

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// unfilled judges a file that f makes exclusively and fills in a second step, while it goes on with
// one that is there: who finds it in between takes it as it is, and that is empty.
func (c *checker) unfilled(f *effects.Func, made *effects.Effect) {
	path := pathOf(made)
	if path == nil || made.When != effects.Inline || len(made.Via) > 0 || made.Call == nil || made.Foreign != "" || made.InLoop() ||
		path.Has(pathexpr.Fresh) || path.Has(pathexpr.Random) || !toleratesExisting(f.SSA) || len(c.claim(f, made)) > 0 || published(f, path) {
		return
	}
	fill := filling(f, made)
	if fill == nil {
		return
	}
	takes := adopted(f, made, fill, path.Path())
	if takes == nil {
		return
	}
	k := c.candidate(f, made.Pos).Is("unfilled")
	if !k.Says(filledLater, takes.Pos, "the content comes in a second step, and one that is there is read here") {
		return
	}
	file := path.Path()
	_, ev := c.x.Judge(k, f, fill, file, evidence.Manner{})
	if c.staleTaken(f, made) && !c.decodedInto(f, takes, file) && k.Says(removedWhenOld, made.Pos, "it is taken away when it is old, or its holder gone") || c.x.Generated(made.Pos) && k.Says(generated, made.Pos, "") ||
		pathexpr.Chosen(file) && k.Says(userChosen, made.Pos, "the user names it") ||
		c.x.Supports(file) && k.Says(serves, made.Pos, "the package serves tests, builds or demonstrations") {
		return
	}
	name := path.Named("its file")
	fd := &finding.Finding{
		Check: Name, Variant: "unfilled", Severity: finding.Warning, Pos: made.Call.Pos(), End: made.Call.End(), Func: f.Name(),
		Claim:    "is taken by other processes as soon as it is there",
		Evidence: append([]finding.Evidence{{Pos: fill.Pos, Text: f.Name() + " fills it here"}, {Pos: takes.Pos, Text: f.Name() + " reads the one that is there"}}, ev...),
		Sentence: fmt.Sprintf("%s makes %s exclusively, and fills it in a second step: a process that comes in between, or after a crash, finds it there and takes it empty", f.Name(), name),
		Schedule: []finding.Step{
			{Actor: "process A", Pos: made.Pos, Does: "makes " + name, File: "nothing"},
			{Actor: "process B", Pos: made.Pos, Does: "finds it there, and reads it", Memory: "nothing"},
			{Actor: "process A", Pos: fill.Pos, Does: "fills it", File: "the content"},
		},
		NoFix: "write a temporary file beside it and publish that by os.Link, which fails where the file is there",
	}
	s := c.at(made.Pos)
	s.alone = true
	c.enter(s, f, made)
	if s.finding == nil {
		s.found(k, fd)
	}
}

// filling is where f writes to a file that it has made, nil where it leaves that to others.
func filling(f *effects.Func, made *effects.Effect) *effects.Effect {
	list := f.OfKind(effects.Write)
	i := slices.IndexFunc(list, func(w *effects.Effect) bool { return w.On(made.Handle) && effects.Reaches(made, w) })
	if i < 0 {
		return nil
	}
	return list[i]
}

// adopted is where f reads the file that it could not make, and not what it has written there; nil
// where it does not.
func adopted(f *effects.Func, made, fill *effects.Effect, file *pathexpr.Term) *effects.Effect {
	list := f.OnFile(file, effects.Read)
	i := slices.IndexFunc(list, func(r *effects.Effect) bool {
		return effects.Reaches(made, r) && !effects.Before(fill, r) && !r.On(made.Handle)
	})
	if i < 0 {
		return nil
	}
	return list[i]
}

// decodedInto reports whether what f takes of the file is decoded: it is more than whose lock it is.
func (c *checker) decodedInto(f *effects.Func, takes *effects.Effect, file *pathexpr.Term) bool {
	return slices.ContainsFunc(f.OfKind(effects.Decode), func(e *effects.Effect) bool {
		call, ok := e.At.(ssa.CallInstruction)
		number := ok && known.MakesNumber(c.p.CalleeOf(call.Common()))
		return effects.Reads(e.Data, file) && effects.Reaches(takes, e) && !number
	})
}

// staleTaken reports whether f takes the file away when it is old, or its holder gone: it is a
// lock, whose content only says whose.
func (c *checker) staleTaken(f *effects.Func, made *effects.Effect) bool {
	return slices.ContainsFunc(f.OnFile(pathOf(made), effects.Remove, effects.Rename), func(gone *effects.Effect) bool {
		return c.takenWhenStale(f, gone, made) != ""
	})
}

// published reports whether f gives a file another name: it is a temporary one.
func published(f *effects.Func, path *pathexpr.Term) bool {
	return slices.ContainsFunc(f.OfKind(effects.Rename, effects.Link), func(e *effects.Effect) bool { return memory.SameFile(e.Path, path) })
}
