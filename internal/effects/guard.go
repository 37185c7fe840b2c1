package effects

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A Refusal is how a function gives up because of what a check found.
type Refusal struct {
	// Pos is where it gives up.
	Pos token.Pos
	// Says are the texts and names that the error is made of.
	Says []string
	// Waits says that the function tries again until the file is gone; Next,
	// that it tries another name; Quiet, that it returns without an error.
	Waits, Next, Quiet bool
	// Always says that the function never makes the file where the check finds
	// one.
	Always bool
}

// Refusals lists how f gives up, instead of making the file, because of what
// check found of it. There are none where the file is made only if it is there.
func (p *Package) Refusals(f *Func, check, made *Effect) []*Refusal {
	if check.When != Inline || made.When != Inline || check.instr == made.instr || !Before(check, made) {
		return nil
	}
	return p.refusals(f, check, map[*ssa.BasicBlock]bool{made.instr.Block(): true})
}

// A choice is a function that goes on to its goals, or does not, after a call
// that checked something.
type choice struct {
	p       *Package
	f       *Func
	call    *ssa.Call
	goals   map[*ssa.BasicBlock]bool
	through *Refusal // how the called function itself gives up
}

func (p *Package) refusals(f *Func, check *Effect, goals map[*ssa.BasicBlock]bool) []*Refusal {
	call, ok := check.instr.(*ssa.Call)
	if !ok || len(goals) == 0 {
		return nil
	}
	c := &choice{p: p, f: f, call: call, goals: goals, through: p.refusalIn(call, check)}
	var list []*Refusal
	always := false
	for _, b := range f.SSA.Blocks {
		cond, ok := c.branch(b)
		if !ok {
			continue
		}
		there, plain := c.there(cond)
		if plain {
			if !c.reaches(b.Succs[1-there]) && !c.known(b) {
				return nil // made only if it is there
			}
			always = always || !c.reaches(b.Succs[there])
		}
		for i, s := range b.Succs {
			if c.reaches(b.Succs[1-i]) {
				list = append(list, c.givesUp(s)...)
			}
		}
		if !plain && c.found(cond) && c.asksWhetherTaken() {
			there, plain = 0, true
		}
		if plain && c.reaches(b.Succs[1-there]) {
			list = append(list, c.leaves(b.Succs[there])...)
		}
	}
	for _, r := range list {
		r.Always = always
	}
	return list
}

// refusalIn is how the function that call leads to gives up because the check
// found the file to be another's, rather than return without an error.
func (p *Package) refusalIn(call *ssa.Call, check *Effect) *Refusal {
	if len(check.Via) == 0 {
		return nil
	}
	callee := p.byFn[p.static(&call.Call)]
	if callee == nil || callee.SSA == call.Parent() {
		return nil
	}
	k := question{callee.SSA, check.Kind, check.Pos, len(check.Via)}
	r, asked := p.answers[k]
	if !asked {
		p.answers[k] = nil // of a function that calls itself
		r = p.refusalOf(callee, check)
		p.answers[k] = r
	}
	return r
}

// A question is whether a function gives up because of a check in it.
type question struct {
	fn   *ssa.Function
	kind Kind
	pos  token.Pos
	via  int
}

func (p *Package) refusalOf(callee *Func, check *Effect) *Refusal {
	goals := map[*ssa.BasicBlock]bool{}
	for _, b := range callee.SSA.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && succeeds(r) {
			goals[b] = true
		}
	}
	for _, e := range callee.Effects {
		if e.Kind == check.Kind && e.Pos == check.Pos && len(e.Via) == len(check.Via)-1 {
			if r := p.refusalAt(callee, e, goals); r != nil {
				return r
			}
		}
	}
	return nil
}

// refusalAt is how f gives up because its check e found the file to be another's,
// instead of reaching a return without an error. It is computed once: many ways
// lead to one check.
func (p *Package) refusalAt(f *Func, e *Effect, goals map[*ssa.BasicBlock]bool) *Refusal {
	r, ok := p.refused[e]
	if !ok {
		rs := p.refusals(f, e, goals)
		if i := slices.IndexFunc(rs, func(r *Refusal) bool { return pathexpr.Taken(r.Says) }); i >= 0 {
			r = rs[i]
		}
		p.refused[e] = r
	}
	return r
}

// succeeds reports whether a return gives no error.
func succeeds(r *ssa.Return) bool {
	v := errorOf(r)
	if v == nil {
		return false
	}
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// errorOf is the error that a return gives, nil if the function gives none.
func errorOf(r *ssa.Return) ssa.Value {
	if len(r.Results) == 0 {
		return nil
	}
	v := r.Results[len(r.Results)-1]
	if !isErrorType(v.Type()) {
		return nil
	}
	return stored(v, r.Block())
}

// stored is what a block last put into the named result that v loads.
func stored(v ssa.Value, b *ssa.BasicBlock) ssa.Value {
	a := loaded(v)
	if a == nil {
		return v
	}
	for _, i := range slices.Backward(b.Instrs) {
		if s, ok := i.(*ssa.Store); ok && s.Addr == a {
			return s.Val
		}
	}
	return v
}

func isErrorType(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// branch is the condition at the end of b, if it depends on what the call found.
func (c *choice) branch(b *ssa.BasicBlock) (ssa.Value, bool) {
	if len(b.Instrs) == 0 || !c.call.Block().Dominates(b) {
		return nil, false
	}
	i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok || !derived(i.Cond, c.call, map[ssa.Value]bool{}) {
		return nil, false
	}
	return i.Cond, true
}

// derived reports whether v is computed from the result of a call, through
// variables that other calls fill from it, too.
func derived(v ssa.Value, from *ssa.Call, seen map[ssa.Value]bool) bool {
	if v == from {
		return true
	}
	if seen[v] {
		return false
	}
	seen[v] = true
	if a, ok := v.(*ssa.Alloc); ok {
		return filled(a, from, seen)
	}
	i, ok := v.(ssa.Instruction)
	if !ok {
		return false
	}
	for _, op := range i.Operands(nil) {
		if *op != nil && derived(*op, from, seen) {
			return true
		}
	}
	return false
}

// filled reports whether what the call found is stored in a local variable, or
// handed to a call beside its address.
func filled(a *ssa.Alloc, from *ssa.Call, seen map[ssa.Value]bool) bool {
	refs := *a.Referrers()
	for n := 0; n < len(refs); n++ {
		switch r := refs[n].(type) {
		case *ssa.Store:
			if r.Addr == a && derived(r.Val, from, seen) {
				return true
			}
		case *ssa.MakeInterface:
			refs = append(slices.Clone(refs), *r.Referrers()...)
		case *ssa.FieldAddr, *ssa.IndexAddr:
			refs = append(slices.Clone(refs), *r.(ssa.Value).Referrers()...)
		case *ssa.Call:
			if derived(r, from, seen) {
				return true
			}
		}
	}
	return false
}

// there is the branch that is taken where the file is there, by a condition
// that asks for nothing else.
func (c *choice) there(cond ssa.Value) (branch int, ok bool) {
	switch v := cond.(type) {
	case *ssa.UnOp:
		if v.Op == token.NOT {
			branch, ok = c.there(v.X)
			return 1 - branch, ok
		}
	case *ssa.BinOp:
		k, isNil := v.Y.(*ssa.Const)
		if !isNil || !k.IsNil() || !c.found(v.X) || !isErrorType(v.X.Type()) {
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
		if fn := c.p.callee(&v.Call); asksAbsence(fn, v.Call.Args) {
			return 1, c.found(v.Call.Args[0])
		}
	}
	return 0, c.found(cond) && c.asksPresence()
}

// known reports whether a block is reached only where another branch has found
// the file to be there.
func (c *choice) known(b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(c.f.SSA.Blocks, func(x *ssa.BasicBlock) bool {
		cond, ok := c.branch(x)
		if !ok {
			return false
		}
		there, ok := c.there(cond)
		return ok && len(x.Succs[there].Preds) == 1 && x.Succs[there].Dominates(b)
	})
}

// asksAbsence reports whether a call asks an error whether it says that a file
// is not there.
func asksAbsence(fn *types.Func, args []ssa.Value) bool {
	switch {
	case known.Is(fn, "os.IsNotExist"):
		return true
	case known.Is(fn, "errors.Is"):
		load, ok := args[1].(*ssa.UnOp)
		if !ok {
			return false
		}
		g, ok := load.X.(*ssa.Global)
		return ok && (g.Name() == "ErrNotExist" || g.Name() == "ENOENT")
	}
	return false
}

// found reports whether v is a result of the call itself.
func (c *choice) found(v ssa.Value) bool {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	return v == c.call
}

// asksPresence reports whether the call answers with a bool whether a file is
// there, by its name.
func (c *choice) asksPresence() bool {
	fn := c.p.callee(&c.call.Call)
	return fn != nil && asksForPresence(fn)
}

// asksWhetherTaken reports whether the call answers with a bool whether who made
// the file is still at work, by its name.
func (c *choice) asksWhetherTaken() bool {
	fn := c.p.callee(&c.call.Call)
	if fn == nil || !isBool(c.call.Type()) {
		return false
	}
	name := strings.ToLower(fn.Name())
	return !strings.Contains(name, "not") && slices.ContainsFunc([]string{"running", "progress", "locked", "alive", "active", "held", "taken"},
		func(word string) bool { return strings.Contains(name, word) })
}

// reaches reports whether a goal can be reached from a block without another
// check.
func (c *choice) reaches(b *ssa.BasicBlock) bool {
	var except *ssa.BasicBlock
	if c.call != nil {
		except = c.call.Block()
	}
	return reachable(b, except, func(x *ssa.BasicBlock) bool { return c.goals[x] })
}

// reachable reports whether a block with the property can be reached from b
// without passing through the block except, before the program ends.
func reachable(b, except *ssa.BasicBlock, is func(*ssa.BasicBlock) bool) bool {
	seen := map[*ssa.BasicBlock]bool{except: true}
	todo := []*ssa.BasicBlock{b}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[x] {
			continue
		}
		if is(x) {
			return true
		}
		seen[x] = true
		if !slices.ContainsFunc(x.Instrs, exits) {
			todo = append(todo, x.Succs...)
		}
	}
	return false
}

// givesUp lists the places at which the function gives up in the branch that
// begins with s.
func (c *choice) givesUp(s *ssa.BasicBlock) []*Refusal {
	if len(s.Preds) > 1 && c.reaches(s) {
		return nil // both branches meet here
	}
	var list []*Refusal
	for _, b := range c.f.SSA.Blocks {
		if !s.Dominates(b) || len(b.Instrs) == 0 || c.goals[b] {
			continue
		}
		if r := c.givesUpIn(b); r != nil {
			list = append(list, r)
		}
	}
	return list
}

// leaves lists how the function goes without the file in the branch that begins
// with s, where it is there: it returns, or asks for another one.
func (c *choice) leaves(s *ssa.BasicBlock) []*Refusal {
	if c.reaches(s) {
		return nil
	}
	if c.anotherName() && reachable(s, nil, isBlock(c.call.Block())) {
		return []*Refusal{{Pos: c.p.at(c.call), Next: true}}
	}
	var list []*Refusal
	for _, b := range c.f.SSA.Blocks {
		r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || !s.Dominates(b) || c.givesUpIn(b) != nil || errorOf(r) != nil && !succeeds(r) {
			continue
		}
		list = append(list, &Refusal{Pos: r.Pos(), Says: textsOf(b), Quiet: true})
	}
	return list
}

// anotherName reports whether the call asks for another file each time round a
// loop.
func (c *choice) anotherName() bool {
	var varies func(v ssa.Value, depth int) bool
	varies = func(v ssa.Value, depth int) bool {
		i, ok := v.(ssa.Instruction)
		if !ok || depth == 0 || i.Block() == nil {
			return false
		}
		switch v.(type) {
		case *ssa.Phi, *ssa.Next:
			return i.Block() == c.call.Block() || i.Block().Dominates(c.call.Block()) && reachable(c.call.Block(), nil, isBlock(i.Block()))
		}
		return slices.ContainsFunc(operandsOf(v), func(op ssa.Value) bool { return varies(op, depth-1) })
	}
	return slices.ContainsFunc(c.call.Call.Args, func(v ssa.Value) bool { return varies(v, 8) })
}

// operandsOf lists what a value is computed from, the arguments of a call one by
// one.
func operandsOf(v ssa.Value) []ssa.Value {
	if call, ok := v.(*ssa.Call); ok {
		return operands(call)
	}
	return valueOperands(v)
}

// givesUpIn is how a block gives up, nil where it goes on.
func (c *choice) givesUpIn(b *ssa.BasicBlock) *Refusal {
	for _, i := range b.Instrs {
		call, ok := i.(*ssa.Call)
		if !ok {
			continue
		}
		switch fn := c.p.callee(&call.Call); {
		case fn == nil:
		case exits(i):
			return &Refusal{Pos: c.p.at(call), Says: textsOf(b)}
		case known.Is(fn, "time.Sleep") && c.call != nil && reachable(b, nil, func(x *ssa.BasicBlock) bool { return x == c.call.Block() }):
			return &Refusal{Pos: c.p.at(call), Waits: true}
		}
	}
	r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
	if !ok {
		return nil
	}
	if err := errorOf(r); err != nil && !succeeds(r) {
		if c.through != nil && derived(err, c.call, map[ssa.Value]bool{}) {
			return &Refusal{Pos: c.through.Pos, Says: c.through.Says}
		}
		if c.p.fresh(err, 4) {
			return &Refusal{Pos: r.Pos(), Says: c.p.texts(err)}
		}
		return nil
	}
	if declines(r) {
		return &Refusal{Pos: r.Pos()}
	}
	return nil
}

// declines reports whether a return says false, and no error.
func declines(r *ssa.Return) bool {
	return slices.ContainsFunc(r.Results, func(v ssa.Value) bool {
		k, ok := v.(*ssa.Const)
		return ok && k.Value != nil && k.Value.Kind() == constant.Bool && !constant.BoolVal(k.Value)
	})
}

func (p *Package) at(call *ssa.Call) token.Pos {
	if c := p.calls[call.Pos()]; c != nil {
		return c.Pos()
	}
	return call.Pos()
}

// endsProgram reports whether a function does not return, because it ends the
// program.
func endsProgram(fn *types.Func) bool {
	return known.Is(fn, "os.Exit") || strings.HasPrefix(fn.Name(), "Fatal") && !strings.HasPrefix(fn.Name(), "FatalError")
}

// exits reports whether an instruction ends the program.
func exits(i ssa.Instruction) bool {
	call, ok := i.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return false
	}
	fn, ok := call.Call.StaticCallee().Object().(*types.Func)
	return ok && endsProgram(fn)
}

// fresh reports whether an error is made here, and not handed on from a call
// that failed.
func (p *Package) fresh(v ssa.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.ChangeInterface:
		return p.fresh(v.X, depth)
	case *ssa.UnOp:
		_, global := v.X.(*ssa.Global)
		return global
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return p.fresh(e, depth-1) })
	case *ssa.Call:
		return p.makesError(v, depth)
	}
	return false
}

// makesError reports whether a call makes an error out of nothing but texts and
// the errors that the program declares.
func (p *Package) makesError(call *ssa.Call, depth int) bool {
	fn := p.callee(&call.Call)
	if fn == nil || !strings.Contains(strings.ToLower(fn.Name()), "err") && (fn.Pkg() == nil || !strings.Contains(fn.Pkg().Path(), "err")) {
		return false
	}
	for _, a := range operands(call) {
		if isErrorType(a.Type()) && !p.fresh(a, depth-1) {
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
		for _, ref := range *arr.Referrers() {
			ia, ok := ref.(*ssa.IndexAddr)
			if !ok {
				continue
			}
			for _, r := range *ia.Referrers() {
				if s, ok := r.(*ssa.Store); ok && s.Addr == ia {
					list = append(list, plain(s.Val))
				}
			}
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

// textsOf lists the texts that the calls of a block are given.
func textsOf(b *ssa.BasicBlock) []string {
	var list []string
	for _, i := range b.Instrs {
		if call, ok := i.(*ssa.Call); ok {
			for _, a := range operands(call) {
				list = append(list, constants(a, 4)...)
			}
		}
	}
	return list
}

// texts are the texts and names that an error is made of.
func (p *Package) texts(v ssa.Value) []string {
	list := constants(v, 8)
	for g := range globalsIn(v, 8) {
		list = append(list, g.Name())
		if val := p.globals[g]; val != nil {
			list = append(list, constants(val, 4)...)
		}
	}
	return list
}

// constants lists the constant texts that a value is computed from, and the
// name of its type where it was made an interface.
func constants(v ssa.Value, depth int) []string {
	if depth == 0 {
		return nil
	}
	var list []string
	switch x := v.(type) {
	case *ssa.Const:
		if x.Value != nil && x.Value.Kind() == constant.String {
			return []string{constant.StringVal(x.Value)}
		}
		return nil
	case *ssa.MakeInterface:
		list = append(list, types.TypeString(x.X.Type(), func(*types.Package) string { return "" }))
	case *ssa.Call:
		for _, a := range operands(x) {
			list = append(list, constants(a, depth-1)...)
		}
		return list
	}
	for _, op := range valueOperands(v) {
		list = append(list, constants(op, depth-1)...)
	}
	return list
}

// globalsIn is the set of package variables that a value is computed from.
func globalsIn(v ssa.Value, depth int) map[*ssa.Global]bool {
	set := map[*ssa.Global]bool{}
	var visit func(v ssa.Value, depth int)
	visit = func(v ssa.Value, depth int) {
		if g, ok := v.(*ssa.Global); ok {
			set[g] = true
		}
		if depth == 0 {
			return
		}
		for _, op := range operandsOf(v) {
			visit(op, depth-1)
		}
	}
	visit(v, depth)
	return set
}

func valueOperands(v ssa.Value) []ssa.Value {
	i, ok := v.(ssa.Instruction)
	if !ok {
		return nil
	}
	var list []ssa.Value
	for _, op := range i.Operands(nil) {
		if *op != nil {
			list = append(list, *op)
		}
	}
	return list
}

// Preconditions lists how f gives up before it makes the file, whatever it asked
// first.
func (p *Package) Preconditions(f *Func, made *Effect) []*Refusal {
	goal := made.instr.Block()
	c := &choice{p: p, f: f, goals: map[*ssa.BasicBlock]bool{goal: true}}
	var list []*Refusal
	for _, b := range f.SSA.Blocks {
		if len(b.Succs) != 2 || !b.Dominates(goal) {
			continue
		}
		for i, s := range b.Succs {
			if c.reaches(b.Succs[1-i]) && !c.reaches(s) {
				list = append(list, c.givesUp(s)...)
			}
		}
	}
	return list
}

// Remakes reports whether f can come to b after a, or be called again after a, by
// itself or by the function that has a.
func (p *Package) Remakes(f *Func, a, b *Effect) bool {
	if a.When != Inline || b.When != Inline || a.instr == b.instr {
		return false
	}
	return reaches(a.instr, b.instr) || p.callsAfter(f, a, f)
}

// callsAfter reports whether f, or the function to which a leads from it, can
// call g after a.
func (p *Package) callsAfter(f *Func, a *Effect, g *Func) bool {
	for _, blk := range f.SSA.Blocks {
		for _, i := range blk.Instrs {
			if call, ok := i.(*ssa.Call); ok && call.Call.StaticCallee() == g.SSA && reaches(a.instr, i) {
				return true
			}
		}
	}
	if len(a.Via) == 0 {
		return false
	}
	callee := p.Callee(a.Via[0])
	if callee == nil || callee == f {
		return false
	}
	return slices.ContainsFunc(callee.Effects, func(e *Effect) bool {
		return e.Kind == a.Kind && e.Pos == a.Pos && len(e.Via) == len(a.Via)-1 && p.callsAfter(callee, e, g)
	})
}

// Depends reports whether f does gone because of more than that the file is
// there: because of what asking for it found, its age or content.
func (p *Package) Depends(f *Func, ask, gone *Effect) bool {
	call, ok := ask.instr.(*ssa.Call)
	if !ok || !Before(ask, gone) {
		return false
	}
	c := &choice{p: p, f: f, call: call}
	at := gone.instr.Block()
	for _, b := range f.SSA.Blocks {
		cond, ok := c.branch(b)
		if !ok {
			continue
		}
		if _, mere := c.there(cond); mere {
			continue
		}
		for i, s := range b.Succs {
			if len(s.Preds) == 1 && s.Dominates(at) || reachable(s, b, isBlock(at)) && !reachable(b.Succs[1-i], b, isBlock(at)) {
				return true
			}
		}
	}
	return false
}

func isBlock(b *ssa.BasicBlock) func(*ssa.BasicBlock) bool {
	return func(x *ssa.BasicBlock) bool { return x == b }
}
