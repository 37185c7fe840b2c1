package failure

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
)

// held lists how the function gives up because of what the check found, besides what is known:
// with no such file it would come to a goal, and not there. What the check stands in can say so
// by any of its results: a bool, a number that is 0, an empty text.
func (c *precondition) held(known []*Refusal) []*Refusal {
	vacant := c.vacant.blocks
	if !slices.ContainsFunc(c.f.SSA.Blocks, func(b *ssa.BasicBlock) bool { return c.goals[b] && vacant[b] }) {
		return nil
	}
	alive := c.asksForHolder()
	for _, r := range known {
		r.Alive = alive && r.Quiet && !lexicon.Taken(r.Says)
	}
	var list []*Refusal
	for _, b := range c.f.SSA.Blocks {
		if vacant[b] || !c.call.Block().Dominates(b) || c.reaches(b) || c.behindGoal(b) {
			continue
		}
		r := c.refusalIn(b)
		if ret := flow.ReturnOf(b); r == nil && ret != nil && (memory.ErrorOf(ret) == nil || memory.Succeeds(ret)) {
			r = &Refusal{Pos: ret.Pos(), Says: c.p.textsIn(b), Quiet: true}
		}
		if r != nil && !slices.ContainsFunc(known, func(k *Refusal) bool { return k.Pos == r.Pos }) {
			r.Alive = alive
			list = append(list, r)
		}
	}
	return list
}

// Instead lists how f gives up, and does not come to any of some instructions, because of what a
// check found.
func (p *Package) Instead(f *effects.Func, check *effects.Effect, of []ssa.Instruction) []*Refusal {
	goals := map[*ssa.BasicBlock]bool{}
	for _, i := range of {
		if p.Flow.Dominates(check.At, i) && i != check.At {
			goals[i.Block()] = true
		}
	}
	return p.refusals(f, check, goals, false)
}

// vacancies are what a check comes to where there is no such file.
type vacancies struct {
	blocks  map[*ssa.BasicBlock]bool // where the function comes behind it, with its own; none where that cannot be told
	noError bool                     // the call that has the check may return without an error
}

func (p *Package) vacant(f *effects.Func, check *effects.Effect) vacancies {
	v := vacancies{blocks: map[*ssa.BasicBlock]bool{}}
	for _, o := range p.failing(f, check, vacancy) {
		v.blocks[check.At.Block()] = true
		for b := range p.propagate(f, check, o, vacancy, nil).came {
			v.blocks[b] = true
		}
		res := check.At.(*ssa.Call).Call.Signature().Results()
		for i, is := range o.results {
			v.noError = v.noError || is == zero && memory.IsErrorType(res.At(i).Type())
		}
	}
	return v
}

// behindGoal reports whether a block can be come to from a goal.
func (c *precondition) behindGoal(b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(c.f.SSA.Blocks, func(goal *ssa.BasicBlock) bool {
		return c.goals[goal] && c.p.Flow.Passes(goal, b, nil)
	})
}

// asksForHolder reports whether what the function does depends on whether the holder of the
// file is at work, as far as the names tell of what it calls to find that out.
func (c *precondition) asksForHolder() bool {
	for branch := range flow.Branches(c.f.SSA) {
		if !c.asks(branch) {
			continue
		}
		for name := range c.p.callsIn(branch.Cond) {
			if word, _ := lexicon.Owners.In(name); word != "" {
				return true
			}
		}
	}
	return false
}
