package racycreate

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// checked judges a file that inner looks for and then makes; root says which
// file it is.
func (c *checker) checked(root, inner *effects.Func, ask, made *effects.Effect, at *ast.CallExpr) (*verdict.Candidate, *finding.Finding) {
	a, m := same(inner, ask), same(inner, made)
	if a == nil || m == nil {
		return nil, nil
	}
	claim := c.claim(root, made)
	if len(claim) == 0 && !lexicon.Stores(inner.SSA.Name()) && !chooses(inner, a) {
		return nil, nil
	}
	rs := c.p.Refusals(inner, a, m)
	r, silent := best(rs, len(claim) > 0, removedLater(root, made)), false
	if r == nil && len(claim) > 0 {
		r, silent = quiet(rs), true
	}
	if r == nil || len(claim) == 0 && !keeps(inner, a, r) || r.Alive && !c.x.HoldsPid(inner, m) {
		return nil, nil // a pid that is not its own is that of a program which may itself keep a second one out
	}
	k := c.candidate(inner, at.Pos()).Is("check")
	c.because(k, claim)
	if !k.Says(refuses, r.Pos, refusal(inner, r)) ||
		made.Foreign != "" && made.Depth() > maxBelow && k.Says(far, made.Pos, "it is made far below") ||
		silent && k.Says(quietly, r.Pos, "the function returns without an error, and never removes the file") ||
		len(claim) == 0 && c.unclaimed(k, made, r) {
		return nil, nil
	}
	f := c.about("check", inner, at, claim, r)
	f.Covers = []string{"tornwrite/inplace", "tornwrite/oldtail"}
	f.NoFix = noFix(inner, ask, made, r)
	c.describeCheck(f, inner, ask, made, r)
	if len(claim) == 0 || r.Alive {
		c.x.Weigh(k, f, true, inner, m, pathOf(made).Path(), true)
	}
	return k, f
}

// describeCheck puts what two processes do which ask for a file at the same time.
func (c *checker) describeCheck(f *finding.Finding, inner *effects.Func, ask, made *effects.Effect, r *failure.Refusal) {
	path := pathOf(made).Named("its file")
	finds, too := "finds no "+path, "finds none either"
	switch {
	case r.Alive:
		finds, too = "finds nobody at work", "finds nobody at work either"
		f.Sentence = fmt.Sprintf("%s makes %s where it finds nobody at work: "+
			"two processes that start at the same time both find nobody, and both go on", f.Func, path)
	case r.Next:
		finds = "finds no file of that name"
		f.Sentence = fmt.Sprintf("%s asks whether a name in %s is free before it makes the file: "+
			"two processes that find the same name free both make it, and both take it for their own", f.Func, directory(made))
	case c.p.FailedToMake(inner, same(inner, made)) != nil:
		finds, too = "takes "+path+" for stale", "takes it for stale, too"
		f.Sentence = fmt.Sprintf("%s writes its own into %s where it takes that for stale: "+
			"two processes that do both take it for their own", f.Func, path)
	default:
		f.Sentence = fmt.Sprintf("%s asks for %s before it makes it: "+
			"two processes that both find none both make it, and both take it for their own", f.Func, path)
	}
	f.Schedule = []finding.Step{
		{Actor: "process A", Pos: ask.Pos, Does: finds},
		{Actor: "process B", Pos: ask.Pos, Does: too},
		{Actor: "process A", Pos: made.Pos, Does: "makes it and goes on as its owner", File: "what A wrote"},
		{Actor: "process B", Pos: made.Pos, Does: "makes it again and goes on as its owner, too", File: "what B wrote"},
	}
}

// candidate is the place at which a function makes or takes away a file.
func (c *checker) candidate(in *effects.Func, pos token.Pos) *verdict.Candidate {
	return c.x.Log().Candidate(Name, pos, in.Name())
}

// claim is what says that the file which made makes is for one process only, nil where that
// is not asked for.
func (c *checker) claim(root *effects.Func, made *effects.Effect) []finding.Evidence {
	if !c.x.Log().Asks(claims) {
		return nil
	}
	return c.x.Claim(root, made)
}

// because notes what says that a file is for one process only.
func (c *checker) because(k *verdict.Candidate, claim []finding.Evidence) {
	if !c.x.Log().Keeps() {
		return
	}
	for _, e := range claim {
		k.Says(claims, e.Pos, e.Text)
	}
}

// directory is how a message calls the directory of the file that an effect makes.
func directory(made *effects.Effect) string {
	return pathOf(made).Path().Dir().Named("its directory")
}

// best is the refusal that says most clearly that one that is there has an
// owner, nil for none. Without a claim it must say that the file exists, or take
// another name. Who goes away without a word takes it for another's only if he
// removes his own in the end, or has asked whether the other is at work.
func best(rs []*failure.Refusal, claim, removed bool) *failure.Refusal {
	for _, r := range rs {
		if claim && lexicon.Taken(r.Says) || !r.Quiet && lexicon.There(r.Says) || r.Next {
			return r
		}
	}
	for _, r := range rs {
		if claim && (len(r.Says) == 0 && !r.Quiet || r.Quiet && (removed || r.Alive)) {
			return r
		}
	}
	return nil
}

// quiet is the first refusal without a word, nil for none.
func quiet(rs []*failure.Refusal) *failure.Refusal {
	if i := slices.IndexFunc(rs, func(r *failure.Refusal) bool { return r.Quiet }); i >= 0 {
		return rs[i]
	}
	return nil
}

// removedLater reports whether the function that makes a file removes it when it
// is done.
func removedLater(f *effects.Func, made *effects.Effect) bool {
	return slices.ContainsFunc(f.OfKind(effects.Remove), func(e *effects.Effect) bool {
		return memory.SameFile(e.Path, pathOf(made)) && (e.When != effects.Inline || f.Precedes(made, e))
	})
}

// keeps reports whether the function is named as one that adds to a store, or that looks
// for a name of its own.
func keeps(inner *effects.Func, ask *effects.Effect, r *failure.Refusal) bool {
	if r.Next {
		return chooses(inner, ask)
	}
	return lexicon.Stores(inner.SSA.Name())
}

// chooses reports whether the function, or the one in which it asks for the file, is named
// as one that looks for a name of its own.
func chooses(inner *effects.Func, ask *effects.Effect) bool {
	return lexicon.Chooses(inner.SSA.Name()) || lexicon.Chooses(memory.Outermost(ask.In).Name())
}

// unclaimed reports whether a rule speaks against a race for a file that nothing says is for
// one process only: it is not one of many of which each caller names its own, as in a store
// of keys, or one whose name the function looks for.
func (c *checker) unclaimed(k *verdict.Candidate, made *effects.Effect, r *failure.Refusal) bool {
	path := pathOf(made).Path()
	last := path.Last()
	return !r.Always && k.Says(overwrites, r.Pos, "one that is there is overwritten in some cases") ||
		(last.Has(pathexpr.Fresh) || last.Has(pathexpr.Random)) && k.Says(uniqueName, made.Pos, "its name is unique") ||
		last.Has(pathexpr.Input) && k.Says(userChosen, made.Pos, "the user names it") ||
		!r.Next && !pathexpr.Named(path) && k.Says(fixedName, made.Pos, "it is the only one of its kind") ||
		c.x.Supports(path) && k.Says(serves, made.Pos, "the package serves tests, builds or demonstrations")
}

// about fills what all findings share.
func (c *checker) about(variant string, in *effects.Func, at ast.Node, claim []finding.Evidence, r *failure.Refusal) *finding.Finding {
	f := &finding.Finding{
		Check: Name, Variant: variant, Pos: at.Pos(), End: at.End(), Func: in.Name(), Claim: "is for one process only",
	}
	if r != nil {
		f.Evidence = append(f.Evidence, finding.Evidence{Pos: r.Pos, Text: refusal(in, r)})
	}
	f.Evidence = append(f.Evidence, claim...)
	return f
}

// refusal says how a function gives up.
func refusal(f *effects.Func, r *failure.Refusal) string {
	switch {
	case r.Alive && text(r) != "":
		return f.Name() + " leaves where its holder is at work: " + strconv.Quote(text(r))
	case r.Alive:
		return f.Name() + " leaves where its holder is at work"
	case r.Waits:
		return f.Name() + " waits while it is there"
	case r.Next:
		return f.Name() + " takes another name where it is there"
	case text(r) != "":
		return f.Name() + " gives up where it is there: " + strconv.Quote(text(r))
	}
	return f.Name() + " gives up where it is there"
}

// text is the longest text of a refusal, on one line.
func text(r *failure.Refusal) string {
	if len(r.Says) == 0 {
		return ""
	}
	t := slices.MaxFunc(r.Says, func(a, b string) int { return len(a) - len(b) })
	t, _, _ = strings.Cut(strings.TrimSpace(t), "\n")
	return t
}

// noFix says what has to be done about a file that is asked for and then made.
func noFix(inner *effects.Func, ask, made *effects.Effect, r *failure.Refusal) string {
	switch {
	case !r.Always:
		return "one that is there is taken over in some cases, which no exclusive create can do; safeio.TryLock needs no file to be taken over"
	case r.Next:
		return "where the exclusive create finds one, the next name has to be tried"
	case made.Foreign != "" || made.In != inner.SSA || ask.In != inner.SSA && ask.Kind != effects.Stat:
		return "asking for it and making it stand in different functions"
	case made.Kind == effects.Rename || made.Kind == effects.Replace:
		return "it is moved into its place, which takes an existing one as well"
	}
	return "make it with os.O_EXCL, and have os.IsExist of its error lead to what the function does where it finds one; what of that still holds there only its author can say"
}

// claimed judges a file that a function which takes a lock makes without looking
// for it.
func (c *checker) claimed(f *effects.Func, made *effects.Effect) (*verdict.Candidate, *finding.Finding) {
	if !lexicon.Acquires(f.SSA.Name()) {
		return nil, nil
	}
	claim := c.claim(f, made)
	if len(claim) == 0 || !c.x.Released(made) && !removedByResult(f, made) {
		return nil, nil
	}
	var r *failure.Refusal
	for _, q := range c.p.Preconditions(f, made) {
		if lexicon.Taken(q.Says) {
			r = q
			break
		}
	}
	if r == nil {
		return c.opened(f, made, claim)
	}
	k := c.candidate(f, made.Pos)
	c.because(k, claim)
	says := f.Name() + " is to give up where another has it: " + strconv.Quote(text(r))
	if !k.Says(saysTaken, r.Pos, says) {
		return nil, nil
	}
	fd := c.about("claim", f, made.Call, claim, nil)
	path := pathOf(made).Named("its file")
	fd.Evidence = append([]finding.Evidence{{Pos: r.Pos, Text: says}}, fd.Evidence...)
	fd.Sentence = fmt.Sprintf("%s makes %s by a call that takes an existing one as well: two processes that find nothing running both have the lock", fd.Func, path)
	fd.Schedule = []finding.Step{
		{Actor: "process A", Pos: r.Pos, Does: "finds that nothing is running, as nothing is yet"},
		{Actor: "process B", Pos: r.Pos, Does: "finds the same"},
		{Actor: "process A", Pos: made.Pos, Does: "makes " + path + " and goes on as its owner"},
		{Actor: "process B", Pos: made.Pos, Does: "makes it again and goes on as its owner, too"},
	}
	fd.NoFix = "one that a process left behind would keep an exclusive create out for ever; the lock of safeio.TryLock ends with its process"
	return k, fd
}

// removedByResult reports whether a function that f returns removes the file that it makes.
func removedByResult(f *effects.Func, made *effects.Effect) bool {
	return slices.ContainsFunc(f.OfResults, func(list []*effects.Effect) bool {
		return slices.ContainsFunc(list, func(e *effects.Effect) bool {
			return e.Kind == effects.Remove && memory.SameFile(e.Path, pathOf(made))
		})
	})
}

// opened judges a file that a function which takes a lock opens, and does nothing with: it is
// there for its existence, of which the call that opens it does not ask.
func (c *checker) opened(f *effects.Func, made *effects.Effect, claim []finding.Evidence) (*verdict.Candidate, *finding.Finding) {
	used := func(e *effects.Effect) bool {
		return e != made && (e.Kind == effects.Lock || e.Kind == effects.Acquire || e.Kind != effects.Close && e.On(made.Handle))
	}
	if made.Kind != effects.Make && made.Kind != effects.Truncate || made.Handle == nil || slices.ContainsFunc(f.Effects, used) {
		return nil, nil
	}
	k := c.candidate(f, made.Pos)
	c.because(k, claim)
	if c.triesAgain(made) && k.Says(asksAgain, made.Pos, f.Name()+" has the lock only after another round") {
		return nil, nil
	}
	if !k.Says(onlyOpened, made.Pos, f.Name()+" neither locks it nor writes to it") {
		return nil, nil
	}
	fd := c.about("claim", f, made.Call, claim, nil)
	path := pathOf(made).Named("its file")
	fd.Evidence = append([]finding.Evidence{{Pos: made.Pos, Text: f.Name() + " neither locks it nor writes to it"}}, fd.Evidence...)
	fd.Sentence = fmt.Sprintf("%s makes %s by a call that takes an existing one as well: two processes both have the lock", fd.Func, path)
	fd.Schedule = []finding.Step{
		{Actor: "process A", Pos: made.Pos, Does: "makes " + path + " and goes on as its owner"},
		{Actor: "process B", Pos: made.Pos, Does: "opens the same file and goes on as its owner, too"},
	}
	fd.NoFix = "one that a process left behind would keep an exclusive create out for ever; the lock of safeio.TryLock ends with its process"
	return k, fd
}

// triesAgain reports whether the function that makes the file succeeds only in a later round of
// the loop in which it makes it.
func (c *checker) triesAgain(made *effects.Effect) bool {
	if made.At == nil {
		return false
	}
	again := false
	for r := range flow.Returns(made.At.Parent()) {
		if memory.MaySucceed(r) {
			if c.p.Flow.GoesOn(made.At, r) {
				return false
			}
			again = again || c.p.Flow.Reaches(made.At, r)
		}
	}
	return again
}
