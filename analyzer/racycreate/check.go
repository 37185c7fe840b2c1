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
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/verdict"
)

// checked judges a file that inner looks for and then makes; root says which
// file it is.
func (c *checker) checked(root, inner *effects.Func, ask, made *effects.Effect, at *ast.CallExpr) (*verdict.Candidate, *finding.Finding) {
	a, m := same(inner, ask), same(inner, made)
	if a == nil || m == nil {
		return nil, nil
	}
	claim := c.x.Claim(root, made)
	if len(claim) == 0 {
		return nil, nil
	}
	r := best(c.p.Refusals(inner, a, m))
	if r == nil {
		return nil, nil
	}
	k := c.candidate(inner, at.Pos(), "check")
	if !because(k, claim) || !k.Says(refuses, r.Pos, refusal(inner, r)) ||
		made.Foreign != "" && made.Depth() > maxBelow && k.Says(far, made.Pos, "it is made far below") {
		return nil, nil
	}
	f := c.about("check", inner, at, claim, r)
	f.Covers = []string{"tornwrite/inplace", "tornwrite/oldtail"}
	f.NoFix = "make it with os.O_EXCL, and have os.IsExist of its error lead to what the function does where it finds " +
		"one; only its author can say what of that still applies there"
	if !r.Always {
		f.NoFix = "an existing file is taken over in some cases, which no exclusive create can do; safeio.TryLock needs no file to be taken over"
	}
	describeCheck(f, ask, made)
	return k, f
}

// describeCheck puts what two processes do which ask for a file at the same time.
func describeCheck(f *finding.Finding, ask, made *effects.Effect) {
	path := pathOf(made).Named("its file")
	f.Sentence = fmt.Sprintf("%s asks for %s before it makes it: "+
		"two processes that both find none both make it, and both take it for their own", f.Func, path)
	f.Schedule = []finding.Step{
		{Actor: "process A", Pos: ask.Pos, Does: "finds no " + path},
		{Actor: "process B", Pos: ask.Pos, Does: "finds none either"},
		{Actor: "process A", Pos: made.Pos, Does: "makes it and goes on as its owner", File: "what A wrote"},
		{Actor: "process B", Pos: made.Pos, Does: "makes it again and goes on as its owner, too", File: "what B wrote",
			Acts: []finding.Act{finding.CreatesFirst, finding.PublishesFirst}},
	}
}

// candidate is the place at which a function makes or takes away a file.
func (c *checker) candidate(in *effects.Func, pos token.Pos, variant string) *verdict.Candidate {
	return c.x.Log().Candidate(Name, pos, in.Name()).Is(variant)
}

// because notes what says that a file is for one process only, and reports whether that counts.
func because(k *verdict.Candidate, claim []finding.Evidence) bool {
	return !slices.ContainsFunc(claim, func(e finding.Evidence) bool { return !k.Says(claims, e.Pos, e.Text) })
}

// best is the refusal that says most clearly that a file which is there has an owner, nil for none.
func best(rs []*failure.Refusal) *failure.Refusal {
	for _, r := range rs {
		if lexicon.Taken(r.Says) || lexicon.There(r.Says) {
			return r
		}
	}
	for _, r := range rs {
		if len(r.Says) == 0 {
			return r
		}
	}
	return nil
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
	case r.Waits:
		return f.Name() + " tries again while it is there"
	case len(r.Says) > 0:
		return f.Name() + " gives up where it is there: " + strconv.Quote(text(r))
	}
	return f.Name() + " gives up where it is there"
}

// text is the longest text of a refusal, on one line.
func text(r *failure.Refusal) string {
	t := slices.MaxFunc(r.Says, func(a, b string) int { return len(a) - len(b) })
	t, _, _ = strings.Cut(strings.TrimSpace(t), "\n")
	return t
}
