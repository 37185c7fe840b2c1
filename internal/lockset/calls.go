package lockset

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/known"
)

// ops are the methods that lock and unlock, by their names: those of
// sync.Mutex and sync.RWMutex, which every lock follows.
var ops = map[string]Mode{
	"Lock": Writing, "TryLock": Writing, "RLock": Reading, "TryRLock": Reading, "Unlock": Free, "RUnlock": Free,
}

// call applies a call to st: of a lock's method, of a literal, of a function of
// the package, of a function that takes or lets go of a lock.
func (a *flow) call(i ssa.Instruction, c *ssa.CallCommon, st *state, deferred bool) {
	if ev := a.s.lockCall(c); ev != nil {
		refusable := ev.Mode != Free && tells(c.Signature())
		ev.Cancellable = refusable
		a.event(ev, i, st)
		if refusable {
			a.wait(ev.Lock, i, ev.Mode, Free, st)
		}
		return
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		a.builtin(b.Name(), i, c, st)
		return
	}
	if body := a.s.effects.Body(c); body != nil {
		a.splice(body, c.Args, i, st, deferred)
		return
	}
	if acts := a.s.acts(c.Value); len(acts) > 0 {
		for _, l := range sorted(acts) {
			a.event(&Event{Lock: l.lock, Mode: l.ok}, i, st)
		}
		return
	}
	if par, ok := c.Value.(*ssa.Parameter); ok && a.out {
		a.invoked(par, st.modes())
		return
	}
	a.callbacks(i, c, st, deferred)
}

// invoked notes that a parameter is called.
func (a *flow) invoked(par *ssa.Parameter, held map[Ref]Mode) {
	if n := slices.Index(a.f.SSA.Params, par); n >= 0 {
		a.f.invokes = append(a.f.invokes, invocation{n, held})
	}
}

// wait makes the mode of a lock depend on the outcome of a call; that of a
// deferred one is tested nowhere.
func (a *flow) wait(r Ref, i ssa.Instruction, ok, fail Mode, st *state) {
	if v, isValue := i.(ssa.Value); isValue {
		st.wait(r, pending{v, ok, fail})
		return
	}
	st.set(r, Mixed)
}

// tells reports whether the last result of a function says if it succeeded.
func tells(sig *types.Signature) bool {
	n := sig.Results().Len()
	if n == 0 {
		return false
	}
	t := sig.Results().At(n - 1).Type()
	return isError(t) || isBool(t)
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// builtin notes what append, copy, delete and clear do: they change what their
// first argument was loaded from.
func (a *flow) builtin(name string, i ssa.Instruction, c *ssa.CallCommon, st *state) {
	switch name {
	case "delete", "clear", "copy":
		a.access(c.Args[0], true, i, i.Pos(), nil, st)
	}
}

// callbacks are literals handed to code that cannot be seen. Those of std are
// called at once, if at all, but for the few that keep them.
func (a *flow) callbacks(i ssa.Instruction, c *ssa.CallCommon, st *state, deferred bool) {
	callee := c.StaticCallee()
	if callee != nil && callee.Origin() != nil {
		callee = callee.Origin()
	}
	if callee == nil || callee.Object() == nil || !atOnce(callee.Object()) {
		return
	}
	for _, arg := range c.Args {
		if lit := literal(arg); lit != nil {
			without := st.clone()
			a.splice(lit, nil, i, st, deferred)
			st.join(without)
		}
	}
}

func atOnce(fn types.Object) bool {
	switch known.Path(fn) {
	case "sort", "slices", "maps", "strings", "bytes", "path/filepath", "io/fs":
		return true
	case "sync":
		return fn.Name() == "Do" || fn.Name() == "Range"
	}
	return false
}

func literal(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		fn, _ := v.Fn.(*ssa.Function)
		return fn
	case *ssa.ChangeType:
		return literal(v.X)
	case *ssa.Function:
		if v.Parent() != nil {
			return v
		}
	}
	return nil
}

// splice puts what a function of the package does in the place of its call.
func (a *flow) splice(callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state, deferred bool) {
	f := a.s.fn(callee)
	if f == nil {
		a.again(callee, st)
		return
	}
	a.s.spliced[callee] = true
	if a.out {
		for _, acc := range f.Accesses {
			a.lift(acc, callee, args, i, st, deferred)
		}
	}
	changed := map[Ref]bool{}
	for _, inv := range f.invokes {
		if inv.param < len(args) {
			a.invoke(inv, callee, args, i, st, deferred, changed)
		}
	}
	a.settle(f, callee, args, i, st)
	for r := range changed {
		st.set(r, Mixed)
	}
}

// again applies a call of a function that is being computed: it may let go of
// what it lets go of elsewhere.
func (a *flow) again(callee *ssa.Function, st *state) {
	if !a.s.busy[callee] {
		return
	}
	for r, m := range st.held {
		if m != Free && a.s.busyLetsGo(r) {
			st.set(r, Mixed)
		}
	}
}

// busyLetsGo reports whether a function that is being computed lets go of a lock
// of that name itself.
func (s *Package) busyLetsGo(r Ref) bool {
	for fn := range s.busy {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				c, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if ev := s.lockCall(c.Common()); ev != nil && ev.Mode == Free && ev.Lock.last() == r.last() {
					return true
				}
			}
		}
	}
	return false
}

// invoke applies the call of a parameter within a callee. What a literal leaves
// changed cannot be told apart from what the callee does behind it.
func (a *flow) invoke(inv invocation, callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state, deferred bool, changed map[Ref]bool) {
	inside := st.clone()
	a.enter(inside, inv.held, callee, args)
	if par, ok := args[inv.param].(*ssa.Parameter); ok && a.out {
		a.invoked(par, inside.modes())
		return
	}
	lit := literal(args[inv.param])
	if lit == nil {
		return
	}
	before := inside.modes()
	a.splice(lit, nil, i, inside, deferred)
	for r, m := range inside.held {
		if before[r] != m && !(m == Free && before[r] == Unknown) {
			changed[r] = true
		}
	}
}

// lift restates an access of a callee here, with the locks of both.
func (a *flow) lift(acc *Access, callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state, deferred bool) {
	if len(a.f.Accesses) >= maxAccesses {
		return
	}
	place, ok := a.s.lowered(acc.Place, callee, args)
	if !ok || (acc.Of != nil || !acc.Write) && !a.s.beside(place) || a.s.made(place.Root) {
		return
	}
	cp := *acc
	cp.Place, cp.Instr, cp.Deferred, cp.Of = place, i, deferred, acc
	inside := st.clone()
	a.enter(inside, acc.Held, callee, args)
	cp.Held = inside.modes()
	a.f.Accesses = append(a.f.Accesses, &cp)
}

// maxAccesses bounds the list of a function; beyond it a function is a program.
const maxAccesses = 2000

// enter lays the modes of a callee over those of the caller.
func (a *flow) enter(st *state, held map[Ref]Mode, callee *ssa.Function, args []ssa.Value) {
	for r, m := range held {
		if m == Unknown {
			continue
		}
		if low, ok := a.s.lowered(r, callee, args); ok {
			st.set(low, m)
		}
	}
}

// settle applies what a callee has done to locks when it returns.
func (a *flow) settle(f *Func, callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state) {
	for _, l := range f.net {
		low, ok := a.s.lowered(l.lock, callee, args)
		if !ok {
			continue
		}
		before := st.held[low]
		switch {
		case l.ok != l.fail:
			ev := &Event{Lock: low, Mode: l.ok, Cancellable: true}
			if l.ok == Unknown {
				ev.Mode = l.fail
			}
			a.event(ev, i, st)
			a.wait(low, i, or(l.ok, before), or(l.fail, before), st)
		case l.ok == Free && f.takes[l.lock]:
			st.set(low, Free) // it was free when the callee took it
			if _, ok := a.f.takes[low]; a.out && !ok {
				a.f.takes[low] = true
			}
		default:
			a.event(&Event{Lock: low, Mode: l.ok}, i, st)
		}
	}
}

// or is m, or the mode before where m is unknown.
func or(m, before Mode) Mode {
	if m == Unknown {
		return before
	}
	return m
}

// A left is how a function leaves a lock: where it succeeds, and where it says
// that it fails.
type left struct {
	lock     Ref
	ok, fail Mode
}

// sum computes how the function leaves the locks that it has touched.
func (f *Func) sum() {
	all := map[Ref]Mode{}
	for _, x := range f.exits {
		maps.Copy(all, x.held)
	}
	for _, l := range sorted(all) {
		if l = f.leaves(l.lock); l.ok != Unknown || l.fail != Unknown {
			f.net = append(f.net, l)
		}
	}
}

// sorted lists locks in an order that does not change.
func sorted(modes map[Ref]Mode) []left {
	list := make([]left, 0, len(modes))
	for r, m := range modes {
		list = append(list, left{r, m, m})
	}
	slices.SortFunc(list, func(a, b left) int {
		return cmp.Or(strings.Compare(a.lock.String(), b.lock.String()), cmp.Compare(a.lock.Root.Pos(), b.lock.Root.Pos()))
	})
	return list
}

// leaves is how a function leaves one lock.
func (f *Func) leaves(r Ref) left {
	var ok, fail []Mode
	for _, x := range f.exits {
		if p, waits := x.pending[r]; waits && len(x.ret.Results) > 0 && source(x.ret.Results[len(x.ret.Results)-1]) == p.call {
			ok, fail = append(ok, p.ok), append(fail, p.fail)
			continue
		}
		succeeds, fails := verdict(x.ret)
		if succeeds {
			ok = append(ok, x.held[r])
		}
		if fails {
			fail = append(fail, x.held[r])
		}
	}
	if len(ok) == 0 {
		ok = fail
	}
	l := left{r, uniform(ok), Unknown}
	taken := l.ok == Writing || l.ok == Reading
	if taken {
		for n, m := range fail {
			fail[n] = or(m, Free) // no goroutine takes a lock that it holds
		}
	}
	l.fail = l.ok
	if len(fail) > 0 {
		l.fail = uniform(fail)
	}
	return l
}

func uniform(modes []Mode) Mode {
	for _, m := range modes {
		if m != modes[0] {
			return Mixed
		}
	}
	return modes[0]
}

// verdict reports whether a return can say that the function succeeded, and that
// it failed: by its last result, an error or a bool.
func verdict(r *ssa.Return) (succeeds, fails bool) {
	if len(r.Results) == 0 {
		return true, false
	}
	last := r.Results[len(r.Results)-1]
	c, isConst := last.(*ssa.Const)
	switch {
	case isError(last.Type()) && isConst:
		return true, false
	case isError(last.Type()):
		return !notNil(last, r.Block()), true
	case !isBool(last.Type()):
		return true, false
	case isConst && c.Value != nil:
		yes := c.Value.String() == "true"
		return yes, !yes
	}
	return true, true
}

// notNil reports whether an error is one for certain in a block: it was made, or
// a condition on the way found it.
func notNil(v ssa.Value, b *ssa.BasicBlock) bool {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.UnOp:
		if _, ok := v.X.(*ssa.Global); ok {
			return true
		}
		if val := justStored(v); val != nil {
			return notNil(val, b)
		}
	case *ssa.Call:
		if makesError(&v.Call) {
			return true
		}
	}
	for ; b != nil; b = b.Idom() {
		if len(b.Preds) != 1 {
			continue
		}
		cond, ok := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		c, ok := cond.Cond.(*ssa.BinOp)
		if !ok || c.X != v {
			continue
		}
		if k, ok := c.Y.(*ssa.Const); ok && k.IsNil() {
			return (c.Op == token.NEQ) == (b.Preds[0].Succs[0] == b)
		}
	}
	return false
}

// makesError reports whether a call gives an error for certain. That of a
// context is asked for when it is done.
func makesError(c *ssa.CallCommon) bool {
	if c.IsInvoke() {
		return c.Method.FullName() == "(context.Context).Err"
	}
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	switch fn.String() {
	case "errors.New", "fmt.Errorf", "context.Cause":
		return true
	}
	return false
}

// lockCall is what a call of a lock's own method does, nil for any other call.
func (s *Package) lockCall(c *ssa.CallCommon) *Event {
	var fn *types.Func
	var recv ssa.Value
	if c.IsInvoke() {
		fn, recv = c.Method, c.Value
	} else if callee := c.StaticCallee(); callee != nil && callee.Signature.Recv() != nil && len(c.Args) > 0 {
		fn, _ = callee.Object().(*types.Func)
		recv = c.Args[0]
	}
	if fn == nil {
		return nil
	}
	if mode, ok := ops[fn.Name()]; ok && known.IsLock(recv.Type()) && len(c.Args)-bound(c) == 0 {
		return &Event{Lock: s.ref(recv), Mode: mode}
	}
	if strings.HasSuffix(known.Path(fn), "/semaphore") {
		return s.weighted(fn.Name(), recv, c.Args[len(c.Args)-1])
	}
	return nil
}

// weighted is what a call does to a semaphore. Who takes all of it excludes all
// others, who takes less those who take all; of one whose size is not told
// nothing is known.
func (s *Package) weighted(method string, recv, n ssa.Value) *Event {
	size, ok := s.weights[varOf(recv)]
	if !ok {
		return nil
	}
	mode := Reading
	if c, isConst := n.(*ssa.Const); isConst && c.Value != nil && c.Value.String() == size {
		mode = Writing
	}
	switch method {
	case "Acquire", "TryAcquire":
		return &Event{Lock: s.ref(recv), Mode: mode}
	case "Release":
		return &Event{Lock: s.ref(recv), Mode: Free}
	}
	return nil
}

// bound is the number of arguments that are the receiver.
func bound(c *ssa.CallCommon) int {
	if c.IsInvoke() {
		return 0
	}
	return 1
}

// acts is what a function value does to locks when it is called: a bound method
// of one, a literal, the result of a function of the package, or any of several.
func (s *Package) acts(vals ...ssa.Value) map[Ref]Mode {
	c := choice{all: true, seen: map[ssa.Value]bool{}}
	for _, v := range vals {
		c.add(v)
	}
	modes, count := map[Ref]Mode{}, map[Ref]int{}
	for _, v := range c.vals {
		for r, m := range s.actsAlone(v) {
			if old, ok := modes[r]; ok && old != m {
				m = Mixed
			}
			modes[r] = m
			count[r]++
		}
	}
	for r := range modes {
		if count[r] < len(c.vals) || !c.all {
			modes[r] = Mixed
		}
	}
	return modes
}

// actsAlone is what a function value does that stands for one function.
func (s *Package) actsAlone(v ssa.Value) map[Ref]Mode {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		if ev := s.boundCall(v); ev != nil {
			return map[Ref]Mode{ev.Lock: ev.Mode}
		}
		return s.does(literal(v))
	case *ssa.Function:
		return s.does(literal(v))
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return s.returned(call, v.Index)
		}
	case *ssa.Call:
		return s.returned(v, 0)
	}
	return nil
}

// A choice is the functions that a value may be.
type choice struct {
	vals []ssa.Value
	all  bool // these are all
	seen map[ssa.Value]bool
}

// maxChoice bounds the values that are looked through for one choice.
const maxChoice = 64

func (c *choice) add(v ssa.Value) {
	if _, ok := v.Type().Underlying().(*types.Signature); !ok || c.seen[v] {
		return
	}
	if len(c.seen) == maxChoice {
		c.all = false
		return
	}
	c.seen[v] = true
	switch x := v.(type) {
	case *ssa.Const:
		return // a call of nil panics
	case *ssa.ChangeType:
		c.add(x.X)
		return
	case *ssa.Phi:
		for _, e := range x.Edges {
			c.add(e)
		}
		return
	case *ssa.UnOp:
		if cell := variable(x); cell != nil {
			vals, all := stores(cell)
			c.all = c.all && all
			for _, val := range vals {
				c.add(val)
			}
			return
		}
	}
	c.vals = append(c.vals, v)
}

// variable is the local variable that is loaded, nil for any other place.
func variable(load *ssa.UnOp) *ssa.Alloc {
	cell := load.X
	for fv, ok := cell.(*ssa.FreeVar); ok; fv, ok = cell.(*ssa.FreeVar) {
		cell = binding(fv)
	}
	a, _ := cell.(*ssa.Alloc)
	return a
}

// boundCall is what a bound method of a lock does, nil for any other.
func (s *Package) boundCall(v *ssa.MakeClosure) *Event {
	fn := v.Fn.(*ssa.Function)
	name, ok := strings.CutSuffix(fn.Name(), "$bound")
	mode, isOp := ops[name]
	if !ok || !isOp || len(v.Bindings) != 1 || !known.IsLock(v.Bindings[0].Type()) {
		return nil
	}
	if tells(fn.Signature) {
		mode = Mixed
	}
	return &Event{Lock: s.ref(v.Bindings[0]), Mode: mode}
}

// does is what a literal does to the locks around it.
func (s *Package) does(lit *ssa.Function) map[Ref]Mode {
	if lit == nil {
		return nil
	}
	f := s.fn(lit)
	if f == nil {
		return nil
	}
	modes := map[Ref]Mode{}
	for _, l := range f.net {
		switch {
		case l.ok != l.fail:
			modes[l.lock] = Mixed
		case l.ok != Free || !f.takes[l.lock]:
			modes[l.lock] = l.ok
		}
	}
	return modes
}

// returned is what result i of a call does to locks when it is called.
func (s *Package) returned(call *ssa.Call, i int) map[Ref]Mode {
	body := s.effects.Body(&call.Call)
	if body == nil {
		return nil
	}
	modes := map[Ref]Mode{}
	for r, m := range s.lender(resultOf{body, i}) {
		if low, ok := s.lowered(r, body, call.Call.Args); ok {
			modes[low] = m
		}
	}
	return modes
}

// A resultOf is one result of a function.
type resultOf struct {
	fn *ssa.Function
	i  int
}

// lender is what a result of a function does to locks, in the function's own
// terms. It is computed once; a function that returns what it gets from itself
// adds nothing.
func (s *Package) lender(res resultOf) map[Ref]Mode {
	if modes, ok := s.lenders[res]; ok {
		return modes
	}
	s.lenders[res] = nil
	f := s.fn(res.fn)
	if f == nil {
		return nil
	}
	var vals []ssa.Value
	for _, x := range f.exits {
		if succeeds, _ := verdict(x.ret); succeeds && res.i < len(x.ret.Results) {
			vals = append(vals, x.ret.Results[res.i])
		}
	}
	modes := s.acts(vals...)
	s.lenders[res] = modes
	return modes
}
