package racycreate

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/verdict"
)

// mkdir judges the making of a directory that f looks for before: of two processes that find
// none, the second one fails, since os.Mkdir takes no directory that is there.
func (c *checker) mkdir(f *effects.Func, made *effects.Effect) {
	if made.Path == nil || made.Foreign != "" || made.When != effects.Inline || len(made.Via) > 0 || made.Call == nil || made.Dropped ||
		made.Path.Has(pathexpr.Fresh) || made.Path.Has(pathexpr.Random) || len(c.claim(f, made)) > 0 || toleratesExisting(f.SSA) {
		return
	}
	for _, ask := range f.OfKind(effects.Stat) {
		if !memory.SameFile(ask.Path, made.Path) || ask.When != effects.Inline || !c.p.IfMissing(f, ask, made) || takenAwayBetween(f, ask, made) || looksAgain(f, made) {
			continue
		}
		k := c.candidate(f, made.Pos).Is("mkdir")
		if !k.Says(looksFirst, ask.Pos, "the function looks for the directory here") ||
			c.x.Generated(made.Pos) && k.Says(generated, made.Pos, "") ||
			c.refusesToo(k, f, ask, made) ||
			made.Path.Path().Last().Has(pathexpr.Input) && k.Says(userChosen, made.Pos, "the user names it") ||
			c.x.Supports(made.Path.Path()) && k.Says(serves, made.Pos, "the package serves tests, builds or demonstrations") {
			return
		}
		path := made.Path.Named("its directory")
		fd := &finding.Finding{
			Check: Name, Variant: "mkdir", Severity: finding.Warning, Pos: made.Call.Pos(), End: made.Call.End(), Func: f.Name(), Claim: "may be made by another process",
			Evidence: []finding.Evidence{{Pos: ask.Pos, Text: f.Name() + " looks for " + path}},
			Sentence: fmt.Sprintf("%s makes %s where it has found none: of two processes that start at the same time, the second one fails because the directory is there", f.Name(), path),
			Schedule: []finding.Step{
				{Actor: "process A", Pos: ask.Pos, Does: "finds no " + path},
				{Actor: "process B", Pos: ask.Pos, Does: "finds none either"},
				{Actor: "process A", Pos: made.Pos, Does: "makes it"},
				{Actor: "process B", Pos: made.Pos, Does: "fails: file exists"},
			},
			NoFix: "call os.MkdirAll, which succeeds where the directory exists, if it may make missing parents, too",
		}
		s := c.at(made.Pos)
		s.alone = true
		c.enter(s, f, made)
		if s.finding == nil {
			s.found(k, fd)
		}
		return
	}
}

// refusesToo reports whether f fails where it finds the directory, as it does where it cannot make it.
func (c *checker) refusesToo(k *verdict.Candidate, f *effects.Func, ask, made *effects.Effect) bool {
	rs := c.p.Refusals(f, ask, made)
	i := slices.IndexFunc(rs, func(r *failure.Refusal) bool { return r.Always && !r.Quiet && !r.Waits && !r.Next })
	return i >= 0 && k.Says(refusesToo, rs[i].Pos, "the function fails where the directory is there")
}

// takenAwayBetween reports whether f removes or renames between two effects what the second makes.
func takenAwayBetween(f *effects.Func, ask, made *effects.Effect) bool {
	return slices.ContainsFunc(f.OnFile(made.Path, effects.Remove, effects.Rename), func(e *effects.Effect) bool {
		return effects.Reaches(ask, e) && effects.Reaches(e, made)
	})
}

// looksAgain reports whether f looks for what it could not make.
func looksAgain(f *effects.Func, made *effects.Effect) bool {
	return slices.ContainsFunc(f.OnFile(made.Path, effects.Stat), func(e *effects.Effect) bool {
		return effects.Reaches(made, e)
	})
}

// toleratesExisting reports whether a function asks of an error whether it says that a file exists.
func toleratesExisting(fn *ssa.Function) bool {
	for i := range flow.Instrs(fn) {
		if call, ok := i.(*ssa.Call); ok {
			if callee := call.Call.StaticCallee(); callee != nil {
				if obj, _ := callee.Object().(*types.Func); known.Is(obj, "os.IsExist") {
					return true
				}
			}
		}
		for _, v := range flow.Operands(i) {
			if g, ok := v.(*ssa.Global); ok && (g.Name() == "ErrExist" || g.Name() == "EEXIST") {
				return true
			}
			if k, ok := v.(*ssa.MakeInterface); ok {
				if c, ok := k.X.(*ssa.Const); ok && c.Type().String() == "syscall.Errno" {
					return true
				}
			}
		}
	}
	return false
}
