package lockset

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"reflect"
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
	a.s.work++
	body, args := a.s.target(c)
	if ev := a.s.lockCall(c); ev != nil {
		a.lockOp(ev, i, c, st)
		if body != nil { // a method of the package, which may wrap another lock
			a.splice(body, args, i, st, deferred)
		}
		return
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		a.builtin(b.Name(), i, c, st)
		return
	}
	if body != nil {
		a.splice(body, args, i, st, deferred)
		return
	}
	if acts := a.s.acts(c.Value); len(acts) > 0 {
		for _, r := range sorted(acts) {
			a.event(&Event{Lock: r, Mode: acts[r]}, i, st)
		}
		return
	}
	if par, ok := c.Value.(*ssa.Parameter); ok && a.out {
		a.invoked(par, st.modes())
		return
	}
	a.callbacks(i, c, st, deferred)
	for _, arg := range c.Args {
		a.lend(arg, c, st)
	}
}

// give applies that a function goes to where it is called at any time: the locks
// that it lets go of may be gone from then on.
func (a *flow) give(v ssa.Value, st *state) {
	if _, ok := v.Type().Underlying().(*types.Signature); ok {
		a.gone(a.s.acts(v), st)
	}
}

func (a *flow) gone(acts map[Ref]Mode, st *state) {
	for r, m := range acts {
		if old := st.held[r]; (m == Free || m == Mixed) && (old == Writing || old == Reading) {
			st.lose(r)
		}
	}
}

// lend applies that a lock goes to code that cannot be seen, which may take it or
// let go of it. That of std does not.
func (a *flow) lend(v ssa.Value, c *ssa.CallCommon, st *state) {
	if fn := c.StaticCallee(); fn != nil && fn.Object() != nil && known.Path(fn.Object()) == "sync" {
		return
	}
	_, isPointer := v.Type().Underlying().(*types.Pointer)
	if r := a.s.ref(v); st.held[r] != Unknown && (isPointer || types.IsInterface(v.Type())) {
		st.lose(r)
	}
}

// spawn applies the start of a goroutine: what it lets go of may be gone from
// then on.
func (a *flow) spawn(c *ssa.CallCommon, st *state) {
	if ev := a.s.lockCall(c); ev != nil {
		a.gone(map[Ref]Mode{ev.Lock: ev.Mode}, st)
		return
	}
	a.gone(a.s.does(a.s.target(c)), st)
}

// target is the function of the package that a call leads to, with all of its
// arguments; nil for any other call.
func (s *Package) target(c *ssa.CallCommon) (*ssa.Function, []ssa.Value) {
	body := s.effects.Body(c)
	switch {
	case c.IsInvoke():
		return body, slices.Concat([]ssa.Value{c.Value}, c.Args)
	case body != nil:
		return body, c.Args
	}
	fn, receiver := s.function(c.Value)
	return fn, slices.Concat(receiver, c.Args)
}

// function is the function of the package that a value is, and the receiver that
// is bound to it; nil for any other value.
func (s *Package) function(v ssa.Value) (fn *ssa.Function, receiver []ssa.Value) {
	switch v := v.(type) {
	case *ssa.ChangeType:
		return s.function(v.X)
	case *ssa.MakeClosure:
		fn = v.Fn.(*ssa.Function)
		if fn.Parent() == nil {
			receiver = v.Bindings
		}
	case *ssa.Function:
		fn = v
	default:
		return nil, nil
	}
	if fn = bare(fn); !s.own[fn] {
		return nil, nil
	}
	return fn, receiver
}

// invoked notes that a parameter is called.
func (a *flow) invoked(par *ssa.Parameter, held map[Ref]Mode) {
	if n := slices.Index(a.f.SSA.Params, par); n >= 0 {
		a.f.invokes = append(a.f.invokes, invocation{n, held})
	}
}

// lockOp applies a call of a lock's method. Who waits for a lock in vain does
// not hold it: no goroutine takes a lock that it holds.
func (a *flow) lockOp(ev *Event, i ssa.Instruction, c *ssa.CallCommon, st *state) {
	before := st.standing(ev.Lock)
	result := tells(c.Signature())
	ev.Cancellable = ev.Mode != Free && result >= 0
	a.event(ev, i, st)
	if !ev.Cancellable {
		return
	}
	fail := before
	if !ev.tried {
		fail.mode = Free
	}
	a.wait(ev.Lock, i, pending{result: result, ok: st.standing(ev.Lock), fail: fail}, st)
}

// wait makes how a lock stands depend on the outcome of a call; that of a
// deferred one is tested nowhere.
func (a *flow) wait(r Ref, i ssa.Instruction, p pending, st *state) {
	if v, isValue := i.(ssa.Value); isValue {
		p.call = v
		st.wait(r, p)
		return
	}
	st.lose(r)
}

// tells is the result of a lock's method that says whether the lock is taken, -1
// for none: a bool, also in front of an error, or an error.
func tells(sig *types.Signature) int {
	n := sig.Results().Len()
	if n > 1 && isBool(sig.Results().At(n-2).Type()) && isError(sig.Results().At(n-1).Type()) {
		return n - 2
	}
	if n > 0 && (isError(sig.Results().At(n-1).Type()) || isBool(sig.Results().At(n-1).Type())) {
		return n - 1
	}
	return -1
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
	now := callee != nil && callee.Object() != nil && atOnce(callee.Object())
	for _, arg := range c.Args {
		if fn, receiver := a.s.function(arg); fn != nil && (now || isLoop(fn)) {
			without := st.clone()
			a.splice(fn, receiver, i, st, deferred)
			st.join(without)
		} else {
			a.give(arg, st)
		}
	}
}

// isLoop reports whether a function is the body of a loop over a function.
func isLoop(fn *ssa.Function) bool { return strings.HasPrefix(fn.Synthetic, "range-over-func") }

func atOnce(fn types.Object) bool {
	switch known.Path(fn) {
	case "sort", "slices", "maps", "strings", "bytes", "path/filepath", "io/fs":
		return true
	case "sync":
		return fn.Name() == "Do" || fn.Name() == "Range"
	}
	return false
}

// splice puts what a function of the package does in the place of its call.
func (a *flow) splice(callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state, deferred bool) {
	f := a.s.fn(callee)
	if f == nil {
		a.again(callee, st)
		return
	}
	if a.s.spliced[callee] == nil {
		a.s.spliced[callee] = map[ssa.Instruction]bool{}
	}
	a.s.spliced[callee][i] = true
	if a.out {
		inside := &entry{flow: a, callee: callee, args: args, st: st, held: map[uintptr]map[Ref]Mode{}, met: map[repeated]bool{}}
		for _, acc := range f.Accesses {
			a.lift(acc, inside, i, deferred)
		}
	}
	changed := map[Ref]bool{}
	for _, inv := range f.invokes {
		if inv.param < len(args) {
			a.invoke(inv, callee, args, i, st, deferred, changed)
		}
	}
	for n, arg := range args {
		if !slices.ContainsFunc(f.invokes, func(inv invocation) bool { return inv.param == n }) {
			a.give(arg, st)
		}
	}
	for _, place := range f.replaces {
		if low, ok := a.s.lowered(place, callee, args); ok {
			a.replace(low, st)
		}
	}
	a.settle(f, callee, args, i, st)
	for r := range changed {
		st.lose(r)
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
			st.lose(r)
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
	fn, receiver := a.s.function(args[inv.param])
	if fn == nil {
		return
	}
	before := inside.clone()
	a.splice(fn, receiver, i, inside, deferred)
	for r, turn := range inside.turns {
		if before.turns[r] != turn {
			changed[r] = true
		}
	}
}

// lift restates an access of a callee here, with the locks of both.
func (a *flow) lift(acc *Access, to *entry, i ssa.Instruction, deferred bool) {
	limit := maxAccesses
	if deferred && acc.Write {
		limit *= 2 // it comes last
	}
	if len(a.f.Accesses) >= limit {
		return
	}
	place, ok := a.s.lowered(acc.Place, to.callee, to.args)
	if !ok || (acc.Of != nil || !acc.Write) && !a.s.beside(place) || a.s.made(place.Root) {
		return
	}
	cp := *acc
	cp.Place, cp.Instr, cp.Deferred, cp.Of = place, i, deferred, acc
	cp.Held = to.modes(acc.Held)
	if to.again(&cp) {
		return
	}
	a.f.Accesses = append(a.f.Accesses, &cp)
}

// again reports whether the call has come to such an access before: by methods of the
// same type, and with the same locks. Most accesses of a large program are those of a
// few helpers, met again on every way to them.
func (e *entry) again(acc *Access) bool {
	x := repeated{acc.Place, receiver(acc.In), acc.Value, reflect.ValueOf(acc.Held).Pointer(), acc.Write, acc.Deferred}
	if e.met[x] {
		return true
	}
	e.met[x] = true
	return false
}

// What is repeated where a call has such an access twice.
type repeated struct {
	place           Ref
	of              types.Type // the receiver
	value           ssa.Value
	held            uintptr
	write, deferred bool
}

// receiver is the type that a method is one of, or the one around a literal; nil for
// other functions.
func receiver(fn *ssa.Function) types.Type {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if recv := fn.Signature.Recv(); recv != nil {
		return types.Unalias(known.Pointee(recv.Type()))
	}
	return nil
}

// An entry is a call of a function, and what is held inside of it; accesses under
// the same locks share what is held at them.
type entry struct {
	flow   *flow
	callee *ssa.Function
	args   []ssa.Value
	st     *state
	held   map[uintptr]map[Ref]Mode // by the map of the callee

	modesMet []map[Ref]Mode
	met      map[repeated]bool
}

// modes are the modes of the caller under those that an access has in the callee.
func (e *entry) modes(held map[Ref]Mode) map[Ref]Mode {
	id := reflect.ValueOf(held).Pointer()
	modes, ok := e.held[id]
	if !ok {
		inside := e.st.clone()
		e.flow.enter(inside, held, e.callee, e.args)
		modes = e.only(inside.modes())
		e.held[id] = modes
	}
	return modes
}

// only is the first of the modes of this call that were the same.
func (e *entry) only(modes map[Ref]Mode) map[Ref]Mode {
	for _, first := range e.modesMet {
		if maps.Equal(first, modes) {
			return first
		}
	}
	e.modesMet = append(e.modesMet, modes)
	return modes
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
		a.roots[low.Root] = true
		before := st.standing(low)
		ev := &Event{Lock: low, Mode: l.ok.mode, tried: l.tried}
		switch {
		case l.ok != l.fail:
			if l.ok.turn == 0 {
				ev.Mode = l.fail.mode
			}
			ev.Cancellable = true
			a.event(ev, i, st)
			last := callee.Signature.Results().Len() - 1
			a.wait(low, i, pending{result: last, ok: l.ok.after(before), fail: l.fail.after(before)}, st)
		case l.ok.turn != 0:
			a.event(ev, i, st)
			st.stand(low, l.ok.after(before))
		default:
			st.stand(low, l.ok.after(before))
		}
	}
}

// A left is how a function leaves a lock, in its own terms: where it succeeds,
// and where it says that it fails.
type left struct {
	lock     Ref
	ok, fail standing
	tried    bool
}

// sum computes how the function leaves the locks that it has touched.
func (f *Func) sum() {
	all := map[Ref]Mode{}
	for _, x := range f.exits {
		maps.Copy(all, x.at.held)
	}
	for _, r := range sorted(all) {
		if l := f.leaves(r); l.ok != (standing{}) || l.fail != (standing{}) {
			f.net = append(f.net, l)
		}
	}
}

// sorted lists locks in an order that does not change.
func sorted(modes map[Ref]Mode) []Ref {
	return slices.SortedFunc(maps.Keys(modes), func(a, b Ref) int {
		return cmp.Or(strings.Compare(a.String(), b.String()), cmp.Compare(a.Root.Pos(), b.Root.Pos()))
	})
}

// leaves is how a function leaves one lock.
func (f *Func) leaves(r Ref) left {
	l := left{lock: r}
	for _, ev := range f.Events {
		l.tried = l.tried || ev.tried && ev.Lock == r
	}
	var ok, fail []standing
	for _, x := range f.exits {
		if p, waits := x.at.pending[r]; waits && p.passedOn(x.ret) {
			ok, fail = append(ok, p.ok), append(fail, p.fail)
			continue
		}
		succeeds, fails := verdict(x.ret)
		if succeeds {
			ok = append(ok, x.at.standing(r))
		}
		if fails {
			fail = append(fail, x.at.standing(r))
		}
	}
	if len(ok) == 0 {
		ok = fail
	}
	l.ok = uniform(ok)
	if l.ok.turn > 0 && !l.tried {
		for n, st := range fail {
			if st == (standing{}) {
				fail[n].mode = Free // no goroutine takes a lock that it holds
			}
		}
	}
	l.fail = l.ok
	if len(fail) > 0 {
		l.fail = uniform(fail)
	}
	if l.ok.turn == 0 && l.fail.turn == 0 && l.ok != l.fail {
		l.ok, l.fail = standing{}, standing{} // as it was
	}
	return l
}

// passedOn reports whether a return hands on the result that tells.
func (p pending) passedOn(ret *ssa.Return) bool {
	if len(ret.Results) == 0 {
		return false
	}
	o := source(ret.Results[len(ret.Results)-1], true)
	return o.call == p.call && o.result == p.result
}

// uniform is how a lock stands on all of several ways.
func uniform(ways []standing) standing {
	all := ways[0]
	for _, w := range ways {
		all = all.or(w)
	}
	return all
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
		if of := readers(recv); of != nil && mode == Writing {
			return &Event{Lock: s.ref(of), Mode: Reading}
		} else if of != nil {
			return &Event{Lock: s.ref(of), Mode: Free}
		}
		return &Event{Lock: s.ref(recv), Mode: mode, tried: strings.HasPrefix(fn.Name(), "Try")}
	}
	if strings.HasSuffix(known.Path(fn), "/semaphore") {
		return s.weighted(fn.Name(), recv, c.Args[len(c.Args)-1])
	}
	return nil
}

// readers is the lock of which v is the half that readers take, nil for another
// value.
func readers(v ssa.Value) ssa.Value {
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil || call.Call.StaticCallee().String() != "(*sync.RWMutex).RLocker" {
		return nil
	}
	return call.Call.Args[0]
}

// weighted is what a call does to a semaphore. Who takes all of it excludes all
// others, who takes less those who take all; of one whose size is not told
// nothing is known.
func (s *Package) weighted(method string, recv, n ssa.Value) *Event {
	size, ok := s.weights[varOf(recv)]
	if !ok || size == "" {
		return nil
	}
	mode := Reading
	if c, isConst := n.(*ssa.Const); isConst && c.Value != nil && c.Value.String() == size {
		mode = Writing
	}
	switch method {
	case "Acquire", "TryAcquire":
		return &Event{Lock: s.ref(recv), Mode: mode, tried: method == "TryAcquire"}
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
		return s.does(s.function(v))
	case *ssa.Function:
		return s.does(s.function(v))
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
	if tells(fn.Signature) >= 0 && mode != Free {
		mode = Mixed
	}
	return &Event{Lock: s.ref(v.Bindings[0]), Mode: mode}
}

// does is what a function does to locks when it is called.
func (s *Package) does(fn *ssa.Function, args []ssa.Value) map[Ref]Mode {
	if fn == nil {
		return nil
	}
	f := s.fn(fn)
	if f == nil {
		return nil
	}
	modes := map[Ref]Mode{}
	for _, l := range f.net {
		low, known := s.lowered(l.lock, fn, args)
		switch {
		case !known:
		case l.ok != l.fail:
			modes[low] = Mixed
		case l.ok.turn != 0:
			modes[low] = l.ok.mode
		}
	}
	return modes
}

// returned is what result i of a call does to locks when it is called.
func (s *Package) returned(call *ssa.Call, i int) map[Ref]Mode {
	body, args := s.target(&call.Call)
	if body == nil {
		return nil
	}
	modes := map[Ref]Mode{}
	for r, m := range s.lender(resultOf{body, i}) {
		if low, ok := s.lowered(r, body, args); ok {
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
