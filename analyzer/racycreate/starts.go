package racycreate

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/failure"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
	"github.com/lockvet/lockvet/internal/process"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A starter is a function that asks by a file whether a process is at work, and starts the program
// itself once more where none is.
type starter struct {
	f       *effects.Func
	ask     *effects.Effect
	refusal *failure.Refusal // how it gives up where one is
}

// starters are those of the package, found once.
func (c *checker) starters() []starter {
	if c.starting != nil {
		return *c.starting
	}
	var list []starter
	for _, f := range c.p.Funcs {
		var starts []ssa.Instruction
		looked := false
		for _, e := range f.OfKind(effects.Read) {
			if !asks(e) || e.When != effects.Inline || pathexpr.Claim(e.Path, "") == "" {
				continue
			}
			if !looked {
				looked = true
				if c.namesItself(f) {
					starts = c.starts(f)
				}
			}
			rs := c.p.Instead(f, e, starts)
			if i := slices.IndexFunc(rs, func(r *failure.Refusal) bool { return r.Alive }); i >= 0 {
				list = append(list, starter{f, e, rs[i]})
			}
		}
	}
	c.starting = &list
	return list
}

// starts are the calls of f that start a program which goes on by itself, or lead to one that does.
func (c *checker) starts(f *effects.Func) []ssa.Instruction {
	var list []ssa.Instruction
	for i := range flow.Instrs(f.SSA) {
		call, ok := i.(*ssa.Call)
		if !ok {
			continue
		}
		if fn := c.p.CalleeOf(&call.Call); fn != nil && process.Leaves(fn) {
			list = append(list, call)
		} else if body := c.p.Of(c.p.Static(&call.Call)); body != nil && body != f && slices.ContainsFunc(c.p.Below(body), func(g *effects.Func) bool { return c.leaves(g.SSA) }) {
			list = append(list, call)
		}
	}
	return list
}

// namesItself reports whether f, or what it leads to, asks for the name of the program's own file.
func (c *checker) namesItself(f *effects.Func) bool {
	return slices.ContainsFunc(c.p.Below(f), func(g *effects.Func) bool {
		for i := range flow.Instrs(g.SSA) {
			if call, ok := i.(*ssa.Call); ok && known.Is(c.p.CalleeOf(&call.Call), "os.Executable") {
				return true
			}
			for _, v := range flow.Operands(i) {
				if args, ok := v.(*ssa.Global); ok && args.Name() == "Args" && known.Path(args.Object()) == "os" {
					return true
				}
			}
		}
		return false
	})
}

// leaves reports whether a function itself starts a program that goes on by itself.
func (c *checker) leaves(fn *ssa.Function) bool {
	for i := range flow.Instrs(fn) {
		if call, ok := i.(*ssa.Call); ok && process.Leaves(c.p.CalleeOf(&call.Call)) {
			return true
		}
	}
	return false
}

// named reports whether two paths have one name, and may be in one directory.
func named(a, b *pathexpr.Term) bool {
	name := a.Path().Last()
	return name.Kind == pathexpr.Const && name.Equal(b.Path().Last()) && !pathexpr.Apart(a, b)
}

// unasked judges a file into which f puts the number of its process without having asked for it,
// where another function asks by the file whether a process is at work, and starts the program
// once more where none is.
func (c *checker) unasked(f *effects.Func, made *effects.Effect) (*verdict.Candidate, *finding.Finding) {
	path := pathOf(made)
	if !c.x.HoldsPid(f, made) || pathexpr.Claim(path, "") == "" {
		return nil, nil
	}
	list := c.starters()
	i := slices.IndexFunc(list, func(s starter) bool {
		return named(s.ask.Path, path) && !c.p.CanCall(s.f, f)
	})
	if i < 0 {
		return nil, nil
	}
	s := list[i]
	var ways []context
	listens := false
	for _, g := range c.p.Funcs {
		for _, e := range c.makings(g) {
			if e.Pos != made.Pos || e.Foreign != "" {
				continue
			}
			if slices.ContainsFunc(g.OfKind(effects.Stat, effects.Read), func(a *effects.Effect) bool {
				return asks(a) && memory.SameFile(a.Path, pathOf(e)) && effects.Before(a, e)
			}) {
				return nil, nil // it is asked for after all, and judged there
			}
			ways = append(ways, context{f: g, locked: lockedFor(g, e, path), excluded: c.excluded(g, e)})
			listens = listens || len(g.OfKind(effects.Listen)) > 0
		}
	}
	k := c.candidate(f, made.Pos).Is("claim")
	claim := c.claim(f, made)
	c.because(k, claim)
	if len(claim) == 0 || !k.Says(startsOther, s.refusal.Pos, s.f.Name()+" asks whether a process is at work, and starts the program where none is") ||
		listens && k.Says(listener, made.Pos, "the process listens at an address") ||
		evidence.Everywhere(ways, func(k context) bool { return k.locked }) && k.Says(locked, made.Pos, "a lock is held however it is reached") ||
		evidence.Everywhere(ways, func(k context) bool { return k.locked || k.excluded }) && k.Says(otherFile, made.Pos, "another file is made exclusively before") {
		return nil, nil
	}
	fd := c.about("claim", f, made.Call, claim, nil)
	name := path.Named("its file")
	judge := c.asker(s.f, s.ask)
	fd.Evidence = append(fd.Evidence, finding.Evidence{Pos: s.refusal.Pos, Text: s.f.Name() + " does not start it where a process is at work"})
	fd.Sentence = fmt.Sprintf("%s writes the number of its process to %s and does not ask who is at work; %s asks, and starts the program where nobody is: of two processes that ask at the same time, each starts one, and both go on", fd.Func, name, s.f.Name())
	fd.Schedule = []finding.Step{
		{Actor: "process A", Pos: s.ask.Pos, Does: "finds nobody at work, as far as " + judge + " tells, and starts process C"},
		{Actor: "process B", Pos: s.ask.Pos, Does: "finds nobody at work either, and starts process D"},
		{Actor: "process C", Pos: made.Pos, Does: "writes " + name + " and goes on", File: "the number of C"},
		{Actor: "process D", Pos: made.Pos, Does: "writes it again and goes on, too", File: "the number of D"},
	}
	fd.NoFix = "one that a process left behind would keep an exclusive create out for ever; the lock of safeio.TryLock ends with its process"
	c.x.Weigh(k, fd, true, f, made, path.Path(), true)
	c.at(made.Pos).file = path
	return k, fd
}
