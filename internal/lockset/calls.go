package lockset

import (
	"go/token"
	"go/types"
	"maps"
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
// the package, of a function that lets go of a lock.
func (a *flow) call(i ssa.Instruction, c *ssa.CallCommon, st *state, deferred bool) {
	if ev := a.s.lockCall(c); ev != nil {
		if v, ok := i.(ssa.Value); ok && ev.Mode != Free && c.Signature().Results().Len() > 0 {
			a.refused[v] = []Ref{ev.Lock}
			ev.Cancellable = true
		}
		a.event(ev, i, st)
		return
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		a.builtin(b.Name(), i, c, st)
		return
	}
	if unlocks := a.s.unlocks(c.Value); len(unlocks) > 0 {
		for _, r := range unlocks {
			a.event(&Event{Lock: r, Mode: Free}, i, st)
		}
		return
	}
	if body := a.s.effects.Body(c); body != nil {
		a.splice(body, c.Args, i, st, deferred)
		return
	}
	if par, ok := c.Value.(*ssa.Parameter); ok && a.out {
		for n, p := range a.f.SSA.Params {
			if p == par {
				a.f.invokes = append(a.f.invokes, invocation{n, maps.Clone(st.held)})
			}
		}
		return
	}
	a.callbacks(i, c, st, deferred)
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
// called at once, but for the few that keep them.
func (a *flow) callbacks(i ssa.Instruction, c *ssa.CallCommon, st *state, deferred bool) {
	callee := c.StaticCallee()
	if callee == nil || callee.Pkg == nil || !atOnce(callee) {
		return
	}
	for _, arg := range c.Args {
		if lit := literal(arg); lit != nil {
			a.splice(lit, nil, i, st, deferred)
		}
	}
}

func atOnce(fn *ssa.Function) bool {
	switch fn.Pkg.Pkg.Path() {
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
		return
	}
	a.s.spliced[callee] = true
	if a.out {
		for _, acc := range f.Accesses {
			a.lift(acc, callee, args, i, st, deferred)
		}
	}
	for _, inv := range f.invokes {
		if inv.param >= len(args) {
			continue
		}
		if lit := literal(args[inv.param]); lit != nil {
			inside := st.clone()
			a.enter(inside, inv.held, callee, args)
			a.splice(lit, nil, i, inside, deferred)
		}
	}
	a.settle(f, callee, args, i, st)
}

// lift restates an access of a callee here, with the locks of both.
func (a *flow) lift(acc *Access, callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state, deferred bool) {
	place, ok := lowered(acc.Place, callee, args)
	if !ok || a.s.made(place.Root) || len(a.f.Accesses) >= maxAccesses {
		return
	}
	cp := *acc
	cp.Place, cp.Instr, cp.Deferred, cp.Of = place, i, deferred, acc
	inside := st.clone()
	a.enter(inside, acc.Held, callee, args)
	cp.Held = inside.held
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
		if low, ok := lowered(r, callee, args); ok {
			st.set(low, m)
		}
	}
}

// settle applies what a callee has done to locks when it returns. What it holds
// on the returns without an error alone is refused where its error is not nil.
func (a *flow) settle(f *Func, callee *ssa.Function, args []ssa.Value, i ssa.Instruction, st *state) {
	for r, m := range f.net() {
		low, ok := lowered(r, callee, args)
		if !ok {
			continue
		}
		if m.conditional {
			if v, isValue := i.(ssa.Value); isValue {
				a.refused[v] = append(a.refused[v], low)
			}
		}
		if m.mode == Free && f.balanced(r) {
			st.set(low, Free) // it was free when the callee took it
			continue
		}
		a.event(&Event{Lock: low, Mode: m.mode, Cancellable: m.conditional}, i, st)
	}
}

// A result is the mode in which a function leaves a lock; conditional says that
// it does so only if it succeeds.
type result struct {
	mode        Mode
	conditional bool
}

// net is how a function leaves the locks that it has touched.
func (f *Func) net() map[Ref]result {
	all := map[Ref]bool{}
	for _, x := range f.exits {
		for r, m := range x.held {
			if m != Unknown {
				all[r] = true
			}
		}
	}
	res := map[Ref]result{}
	for r := range all {
		if m, ok := f.leaves(r); ok {
			res[r] = m
		}
	}
	return res
}

// leaves is how a function leaves one lock.
func (f *Func) leaves(r Ref) (result, bool) {
	var modes, failed []Mode
	for _, x := range f.exits {
		if fails(x.ret) {
			failed = append(failed, x.held[r])
		} else {
			modes = append(modes, x.held[r])
		}
	}
	if len(modes) == 0 {
		modes, failed = failed, nil
	}
	m, same := uniform(modes)
	switch {
	case !same:
		return result{mode: Mixed}, true
	case m == Unknown:
		return result{}, false
	}
	for _, other := range failed {
		if other != m && m != Free {
			return result{m, true}, true
		}
	}
	if m == Free {
		return result{mode: Free}, true
	}
	return result{m, f.passesOn(r)}, true
}

// balanced reports whether the function took the lock itself before it let go
// of it; such a lock was free on entry too.
func (f *Func) balanced(r Ref) bool {
	for _, ev := range f.Events {
		if ev.Lock == r {
			return ev.Mode != Free
		}
	}
	return false
}

// passesOn reports whether the function returns the outcome of the call that
// takes the lock.
func (f *Func) passesOn(r Ref) bool {
	for _, ev := range f.Events {
		v, ok := ev.Instr.(ssa.Value)
		if ev.Lock != r || !ok || ev.Mode == Free {
			continue
		}
		for _, x := range f.exits {
			for _, res := range x.ret.Results {
				if source(res) == v {
					return true
				}
			}
		}
	}
	return false
}

func uniform(modes []Mode) (Mode, bool) {
	for _, m := range modes[1:] {
		if m != modes[0] {
			return Mixed, false
		}
	}
	return modes[0], true
}

// fails reports whether a return says that the function failed: its last result
// is an error that is not the constant nil, or the constant false.
func fails(r *ssa.Return) bool {
	if len(r.Results) == 0 {
		return false
	}
	last := r.Results[len(r.Results)-1]
	c, isConst := last.(*ssa.Const)
	switch {
	case types.Identical(last.Type(), types.Universe.Lookup("error").Type()):
		return !isConst
	case isConst && c.Value != nil && types.Identical(last.Type().Underlying(), types.Typ[types.Bool]):
		return c.Value.String() == "false"
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
		return &Event{Lock: ref(recv), Mode: mode}
	}
	if strings.HasSuffix(known.Path(fn), "/semaphore") {
		switch fn.Name() {
		case "Acquire", "TryAcquire":
			return &Event{Lock: ref(recv), Mode: Writing}
		case "Release":
			return &Event{Lock: ref(recv), Mode: Free}
		}
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

// unlocks are the locks that a function value lets go of: a bound Unlock, or the
// result of a function of the package that returns one.
func (s *Package) unlocks(v ssa.Value) []Ref {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		if fn, ok := v.Fn.(*ssa.Function); ok && strings.HasSuffix(fn.Name(), "$bound") && len(v.Bindings) == 1 {
			name := strings.TrimSuffix(fn.Name(), "$bound")
			if ops[name] == Free && (name == "Unlock" || name == "RUnlock") && known.IsLock(v.Bindings[0].Type()) {
				return []Ref{ref(v.Bindings[0])}
			}
		}
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return s.returned(call, v.Index)
		}
	case *ssa.Call:
		return s.returned(v, 0)
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			for _, r := range *a.Referrers() {
				if st, ok := r.(*ssa.Store); ok && st.Addr == a {
					return s.unlocks(st.Val)
				}
			}
		}
	}
	return nil
}

// returned are the locks that result i of a call lets go of when it is called.
func (s *Package) returned(call *ssa.Call, i int) []Ref {
	body := s.effects.Body(&call.Call)
	if body == nil {
		return nil
	}
	var list []Ref
	for _, r := range s.unlocker(resultOf{body, i}) {
		if low, ok := lowered(r, body, call.Call.Args); ok {
			list = append(list, low)
		}
	}
	return list
}

// A resultOf is one result of a function.
type resultOf struct {
	fn *ssa.Function
	i  int
}

// unlocker are the locks that a result of a function lets go of, in its own
// terms. It is computed once; a function that returns what it gets from itself
// adds nothing.
func (s *Package) unlocker(res resultOf) []Ref {
	if list, ok := s.unlockers[res]; ok {
		return list
	}
	s.unlockers[res] = nil
	f := s.fn(res.fn)
	if f == nil {
		return nil
	}
	var list []Ref
	for _, x := range f.exits {
		if res.i < len(x.ret.Results) && !fails(x.ret) {
			list = append(list, s.lets(x.ret.Results[res.i])...)
		}
	}
	s.unlockers[res] = list
	return list
}

// lets are the locks that a function lets go of that is bound or a literal.
func (s *Package) lets(v ssa.Value) []Ref {
	if list := s.unlocks(v); len(list) > 0 {
		return list
	}
	lit := literal(v)
	if lit == nil {
		return nil
	}
	f := s.fn(lit)
	if f == nil {
		return nil
	}
	var list []Ref
	for r, m := range f.net() {
		if m.mode == Free && !f.balanced(r) {
			list = append(list, r)
		}
	}
	return list
}

// indexTokens finds the channels that are mutexes: made with room for one, and
// both filled and drained by functions of the package. A channel that a
// constructor fills is taken by receiving from it.
func (s *Package) indexTokens() {
	made, filled := map[*types.Var]bool{}, map[*types.Var]bool{}
	for _, f := range s.effects.Funcs {
		for _, b := range f.SSA.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.Store:
					if mc, ok := i.Val.(*ssa.MakeChan); ok && isOne(mc.Size) && known.IsLock(mc.Type()) {
						if v := varOf(i.Addr); v != nil {
							made[v] = true
						}
					}
				case *ssa.Send:
					if v := varOf(i.Chan); v != nil && fresh(ref(i.Chan).Root) {
						filled[v] = true
					}
				}
			}
		}
	}
	for v := range made {
		s.tokens[v] = token.MUL // a send takes it
		if filled[v] {
			s.tokens[v] = token.ARROW
		}
	}
	for v := range s.tokens {
		if !s.pairs(v) {
			delete(s.tokens, v)
		}
	}
}

func isOne(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.String() == "1"
}

// pairs reports whether the package takes the channel in a wait or a send of its
// own, never only if there is room, and gives it back. One that is filled only
// if there is room is a signal.
func (s *Package) pairs(v *types.Var) bool {
	sends, receives := 0, 0
	for _, f := range s.effects.Funcs {
		for _, b := range f.SSA.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.Send:
					if varOf(i.Chan) == v && !fresh(ref(i.Chan).Root) {
						sends++
					}
				case *ssa.UnOp:
					if i.Op == token.ARROW && varOf(i.X) == v {
						receives++
					}
				case *ssa.Select:
					for _, st := range i.States {
						switch {
						case varOf(st.Chan) != v || !i.Blocking:
						case st.Dir == types.SendOnly:
							sends++
						default:
							receives++
						}
					}
				}
			}
		}
	}
	return sends > 0 && receives > 0
}

// token is what sending to (MUL) or receiving from (ARROW) a channel does to the
// lock that it is, nil where it is none.
func (s *Package) token(ch ssa.Value, dir token.Token) *Event {
	take, ok := s.tokens[varOf(ch)]
	if !ok {
		return nil
	}
	mode := Free
	if take == dir {
		mode = Writing
	}
	return &Event{Lock: ref(ch), Mode: mode}
}
