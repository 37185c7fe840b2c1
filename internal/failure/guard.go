package failure

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/lexicon"
	"github.com/lockvet/lockvet/internal/memory"
)

// Refusals lists how f gives up, instead of making the file, because of what
// check found of it. There are none where the file is made only if it is there.
func (p *Package) Refusals(f *effects.Func, check, made *effects.Effect) []*Refusal {
	if check.When != effects.Inline || made.When != effects.Inline || check.At == made.At || !effects.Before(check, made) {
		return nil
	}
	return p.refusals(f, check, map[*ssa.BasicBlock]bool{made.At.Block(): true}, p.FailedToMake(f, made) != nil)
}

// FailedToMake is where f has tried to make exclusively the file that made makes, wherever it
// comes to made: then it knows that the file is there. It is nil for nowhere.
func (p *Package) FailedToMake(f *effects.Func, made *effects.Effect) *effects.Effect {
	for _, e := range f.OfKind(effects.CreateExclusive, effects.MakeDir) {
		if e != made && memory.SameFile(e.Path, effects.MadePath(made)) && effects.Before(e, made) && p.Failed(f, e, made) {
			return e
		}
	}
	return nil
}

// A precondition is a function that goes on to its goals, or does not, after a call
// that checked something.
type precondition struct {
	p       *Package
	f       *effects.Func
	call    *ssa.Call
	goals   map[*ssa.BasicBlock]bool
	through *Refusal // how the called function itself gives up
}

// refusals lists them for any goals; isThere is whether the file is known to be there.
func (p *Package) refusals(
	f *effects.Func, check *effects.Effect, goals map[*ssa.BasicBlock]bool, isThere bool,
) []*Refusal {
	call, ok := check.At.(*ssa.Call)
	if !ok || len(goals) == 0 {
		return nil
	}
	c := &precondition{p: p, f: f, call: call, goals: goals, through: p.refusalIn(call, check)}
	var list []*Refusal
	always := false
	for branch := range flow.Branches(f.SSA) {
		b, cond := branch.Block(), branch.Cond
		if !c.asks(branch) {
			continue
		}
		there, plain := c.there(cond)
		if plain {
			if !isThere && !c.reaches(arm(branch, 1-there)) && !c.known(b) {
				return nil // made only if it is there
			}
			always = always || !c.reaches(arm(branch, there))
		}
		for i := range 2 {
			if c.reaches(arm(branch, 1-i)) {
				list = append(list, c.refusals(arm(branch, i))...)
			}
		}
	}
	for _, r := range list {
		r.Always = always
	}
	return list
}

// arm is one of the two blocks to which a branch goes: the first where its condition is
// true.
func arm(branch *ssa.If, n int) *ssa.BasicBlock {
	yes, no := flow.Arms(branch)
	if n == 0 {
		return yes
	}
	return no
}

// refusalIn is how the function that call leads to gives up because the check
// found the file to be another's, rather than return without an error.
func (p *Package) refusalIn(call *ssa.Call, check *effects.Effect) *Refusal {
	if !p.inCallee(call, check) {
		return nil
	}
	return p.refused.Ask(check.CalleeEffect)
}

// inCallee reports whether a check that is seen at a call stands in the function of the
// package that the call leads to, or below it.
func (p *Package) inCallee(call *ssa.Call, check *effects.Effect) bool {
	if len(check.Via) == 0 || check.CalleeEffect == nil {
		return false
	}
	callee := p.Of(p.Static(&call.Call))
	return callee != nil && callee.SSA != call.Parent()
}

// refusalOf is how a function gives up because its check found the file to be another's,
// instead of reaching a return without an error.
func (p *Package) refusalOf(check *effects.Effect) *Refusal {
	f := p.Of(check.At.Parent())
	if f == nil {
		return nil
	}
	goals := map[*ssa.BasicBlock]bool{}
	for r := range flow.Returns(f.SSA) {
		if memory.Succeeds(r) {
			goals[r.Block()] = true
		}
	}
	rs := p.refusals(f, check, goals, false)
	if i := slices.IndexFunc(rs, func(r *Refusal) bool { return lexicon.Taken(r.Says) }); i >= 0 {
		return rs[i]
	}
	return nil
}

// asks reports whether a branch depends on what the call found.
func (c *precondition) asks(branch *ssa.If) bool {
	return c.call.Block().Dominates(branch.Block()) && c.p.computedFrom(branch.Cond, c.call)
}

// computedFrom reports whether v is computed from the result of a call, through
// variables that other calls fill from it, too.
func (p *Package) computedFrom(v ssa.Value, from *ssa.Call) bool {
	return p.computed.Ask(computation{v, from})
}

func (p *Package) isComputed(c computation) bool {
	return flow.Any(p.Flow.Budget, func(v ssa.Value) bool { return v == c.from }, madeOf, c.v)
}

// madeOf lists what a value is computed from: of a local variable what is stored there,
// and the calls that are handed its address.
func madeOf(v ssa.Value) []ssa.Value {
	a, ok := v.(*ssa.Alloc)
	if !ok {
		return flow.OperandsOf(v)
	}
	var list []ssa.Value
	refs := flow.Uses(a)
	for n := 0; n < len(refs); n++ {
		switch r := refs[n].(type) {
		case *ssa.Store:
			if r.Addr == a {
				list = append(list, r.Val)
			}
		case *ssa.MakeInterface, *ssa.FieldAddr, *ssa.IndexAddr:
			refs = append(slices.Clip(refs), flow.Uses(r.(ssa.Value))...)
		case *ssa.Call:
			list = append(list, r)
		}
	}
	return list
}

// there is the branch that is taken where the file is there, by a condition
// that asks for nothing else.
func (c *precondition) there(cond ssa.Value) (branch int, ok bool) {
	switch v := cond.(type) {
	case *ssa.BinOp:
		k, isNil := v.Y.(*ssa.Const)
		if !isNil || !k.IsNil() || !c.found(v.X) || !memory.IsErrorType(v.X.Type()) {
			return 0, false
		}
		branch = 0
		if v.Op == token.NEQ {
			branch = 1
		}
		if c.through != nil {
			branch = 1 - branch
		}
		return branch, v.Op == token.EQL || v.Op == token.NEQ
	case *ssa.Call:
		if fn := c.p.CalleeOf(&v.Call); AsksAbsence(fn, v.Call.Args) {
			return 1, c.found(v.Call.Args[0])
		}
	}
	return 0, c.found(cond) && c.asksPresence()
}

// known reports whether a block is reached only where another branch has found
// the file to be there.
func (c *precondition) known(b *ssa.BasicBlock) bool {
	for branch := range flow.Branches(c.f.SSA) {
		if !c.asks(branch) {
			continue
		}
		if there, ok := c.there(branch.Cond); ok && flow.EntersBy(branch, there == 0, b) {
			return true
		}
	}
	return false
}

// found reports whether v is a result of the call itself.
func (c *precondition) found(v ssa.Value) bool { return yieldedBy(v, c.call) }

// asksPresence reports whether the call answers with a bool whether a file is
// there, by its name.
func (c *precondition) asksPresence() bool {
	fn := c.p.CalleeOf(&c.call.Call)
	return fn != nil && asksForPresence(fn)
}

// reaches reports whether a goal can be reached from a block without another
// check.
func (c *precondition) reaches(b *ssa.BasicBlock) bool {
	var except *ssa.BasicBlock
	if c.call != nil {
		except = c.call.Block()
	}
	return c.p.Flow.PassesAny(b, c.goals, except)
}

// refusals lists the places at which the function gives up in the branch that
// begins with s.
func (c *precondition) refusals(s *ssa.BasicBlock) []*Refusal {
	if flow.Joined(s) && c.reaches(s) {
		return nil // both branches meet here
	}
	var list []*Refusal
	for _, b := range c.f.SSA.Blocks {
		if !s.Dominates(b) || len(b.Instrs) == 0 || c.goals[b] {
			continue
		}
		if r := c.refusalIn(b); r != nil {
			list = append(list, r)
		}
	}
	return list
}

// operandsOf lists what a value is computed from, the arguments of a call one by
// one.
func operandsOf(v ssa.Value) []ssa.Value {
	if call, ok := v.(*ssa.Call); ok {
		return operands(call)
	}
	return flow.OperandsOf(v)
}

// refusalIn is how a block gives up, nil where it goes on.
func (c *precondition) refusalIn(b *ssa.BasicBlock) *Refusal {
	for _, i := range b.Instrs {
		call, ok := i.(*ssa.Call)
		if !ok {
			continue
		}
		switch fn := c.p.CalleeOf(&call.Call); {
		case fn == nil:
		case c.p.EndsProgram(call):
			return &Refusal{Pos: c.p.At(call), Says: c.p.textsIn(b)}
		case known.Is(fn, "time.Sleep") && c.call != nil && c.p.Flow.Passes(b, c.call.Block(), nil):
			return &Refusal{Pos: c.p.At(call), Waits: true}
		}
	}
	r := flow.ReturnOf(b)
	if r == nil {
		return nil
	}
	if err := memory.ErrorOf(r); err != nil && !memory.Succeeds(r) {
		if c.through != nil && c.p.computedFrom(err, c.call) {
			return &Refusal{Pos: c.through.Pos, Says: c.through.Says}
		}
		if c.p.fresh.Ask(err) {
			return &Refusal{Pos: r.Pos(), Says: c.p.texts(err)}
		}
		return nil
	}
	if Declines(r) {
		return &Refusal{Pos: r.Pos()}
	}
	return nil
}

// Declines reports whether a return says false, and no error.
func Declines(r *ssa.Return) bool {
	return slices.ContainsFunc(r.Results, func(v ssa.Value) bool {
		k, ok := v.(*ssa.Const)
		return ok && k.Value != nil && k.Value.Kind() == constant.Bool && !constant.BoolVal(k.Value)
	})
}

// isFresh reports whether an error is made here, and not handed on from a call
// that failed.
func (p *Package) isFresh(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.UnOp:
		_, global := v.X.(*ssa.Global)
		return global
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, p.fresh.Ask)
	case *ssa.Call:
		return p.makesError(v)
	}
	return false
}

// makesError reports whether a call makes an error out of nothing but texts and
// the errors that the program declares.
func (p *Package) makesError(call *ssa.Call) bool {
	fn := p.CalleeOf(&call.Call)
	if known.MakesError(fn) == known.No {
		return false
	}
	for _, a := range operands(call) {
		if memory.IsErrorType(a.Type()) && !p.fresh.Ask(a) {
			return false
		}
	}
	return true
}

// operands lists the arguments of a call, variadic ones one by one, as they were
// before they became interfaces.
func operands(call *ssa.Call) []ssa.Value {
	var list []ssa.Value
	for _, a := range call.Call.Args {
		sl, ok := a.(*ssa.Slice)
		if !ok {
			list = append(list, a)
			continue
		}
		arr, ok := sl.X.(*ssa.Alloc)
		if !ok {
			continue
		}
		for _, e := range flow.Elements(arr) {
			list = append(list, plain(e.Store.Val))
		}
	}
	return list
}

// plain is a value before it became an interface.
func plain(v ssa.Value) ssa.Value {
	switch x := v.(type) {
	case *ssa.MakeInterface:
		return x.X
	case *ssa.ChangeInterface:
		return x.X
	}
	return v
}

// textsIn lists the texts that the calls of a block are given.
func (p *Package) textsIn(b *ssa.BasicBlock) []string {
	var list []string
	for _, i := range b.Instrs {
		if call, ok := i.(*ssa.Call); ok {
			list = append(list, p.constants(operands(call)...)...)
		}
	}
	return list
}

// texts are the texts and names that an error is made of.
func (p *Package) texts(v ssa.Value) []string {
	list := p.constants(v)
	for _, of := range flow.Reach(p.Flow.Budget, operandsOf, v) {
		g, ok := of.(*ssa.Global)
		if !ok {
			continue
		}
		list = append(list, g.Name())
		if val := p.Globals[g]; val != nil {
			list = append(list, p.constants(val)...)
		}
	}
	return list
}

// constants lists the constant texts that values are computed from, and the
// names of the types that were made an interface on the way.
func (p *Package) constants(values ...ssa.Value) []string {
	var list []string
	for _, v := range flow.Reach(p.Flow.Budget, operandsOf, values...) {
		switch v := v.(type) {
		case *ssa.Const:
			if v.Value != nil && v.Value.Kind() == constant.String {
				list = append(list, constant.StringVal(v.Value))
			}
		case *ssa.MakeInterface:
			list = append(list, types.TypeString(v.X.Type(), func(*types.Package) string { return "" }))
		}
	}
	return list
}

// Depends reports whether f does gone because of more than that the file is
// there: because of what asking for it found, its age or content.
func (p *Package) Depends(f *effects.Func, ask, gone *effects.Effect) bool {
	call, ok := ask.At.(*ssa.Call)
	if !ok || !effects.Before(ask, gone) {
		return false
	}
	c := &precondition{p: p, f: f, call: call}
	at := gone.At.Block()
	for branch := range flow.Branches(f.SSA) {
		if !c.asks(branch) {
			continue
		}
		if _, mere := c.there(branch.Cond); mere {
			continue
		}
		if p.decides(branch, at) {
			return true
		}
	}
	return false
}

// decides reports whether a branch leads to a block on one of its sides alone.
func (p *Package) decides(branch *ssa.If, at *ssa.BasicBlock) bool {
	b := branch.Block()
	for i := range 2 {
		if flow.EntersBy(branch, i == 0, at) ||
			p.Flow.Passes(arm(branch, i), at, b) && !p.Flow.Passes(arm(branch, 1-i), at, b) {
			return true
		}
	}
	return false
}

// Denied is the branch on a condition that is taken where a call has come back without
// what it was to get, a lock or a file of its own.
func (p *Package) Denied(f *effects.Func, call *ssa.Call, cond ssa.Value) (branch int, ok bool) {
	c := &precondition{p: p, f: f, call: call}
	if memory.IsBool(cond.Type()) && c.found(cond) {
		return 1, true
	}
	if c.saysWhich(cond) {
		return 0, true
	}
	if _, ok := cond.(*ssa.BinOp); ok {
		there, ok := c.there(cond)
		return 1 - there, ok
	}
	return 0, false
}

// Failed reports whether f comes to b only where the call that has a has failed, so that a
// has not happened.
func (p *Package) Failed(f *effects.Func, a, b *effects.Effect) bool {
	call, ok := a.At.(*ssa.Call)
	if !ok || b.At == nil {
		return false
	}
	for branch := range flow.Branches(f.SSA) {
		if n, ok := p.Denied(f, call, branch.Cond); ok && flow.EntersBy(branch, n == 0, b.At.Block()) {
			return true
		}
	}
	return false
}

// saysWhich reports whether a condition asks which error the call has come back with: then
// there is one where it holds.
func (c *precondition) saysWhich(cond ssa.Value) bool {
	ask, ok := cond.(*ssa.Call)
	if !ok || len(ask.Call.Args) == 0 || !c.found(ask.Call.Args[0]) || !memory.IsErrorType(ask.Call.Args[0].Type()) {
		return false
	}
	fn := c.p.CalleeOf(&ask.Call)
	return known.Is(fn, "errors.Is") ||
		fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "os" && strings.HasPrefix(fn.Name(), "Is")
}

// AsksWhy reports whether the function that has an effect goes different ways by which error
// its call has come back with.
func (p *Package) AsksWhy(e *effects.Effect) bool {
	for len(e.Via) > 0 && e.CalleeEffect != nil {
		e = e.CalleeEffect
	}
	call, ok := e.At.(*ssa.Call)
	f := p.Of(e.At.Parent())
	if !ok || f == nil {
		return false
	}
	c := &precondition{p: p, f: f, call: call}
	for branch := range flow.Branches(f.SSA) {
		if c.saysWhich(branch.Cond) {
			return true
		}
	}
	return false
}
