package locks

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
	"github.com/lockvet/lockvet/internal/memory"
)

// restateAll gives every function the accesses of those that it calls, these first.
func (s *Package) restateAll() {
	var all []*Func
	for _, f := range s.effects.All() {
		if f := s.fn(f.SSA); f != nil {
			s.byFn[f.SSA] = f
			all = append(all, f)
		}
	}
	next := map[*Func][]*Func{}
	for _, f := range all {
		next[f] = s.callees(f)
	}
	for comp := range flow.Components(all, func(f *Func) []*Func { return next[f] }) {
		s.restate(comp)
		s.Funcs = append(s.Funcs, comp...)
	}
	for _, f := range all {
		if f.bounded {
			s.flow.GiveUp(question, memory.FuncName(f.SSA), flow.Size)
		}
	}
}

// callees are the functions that a function calls. It notes where it does.
func (s *Package) callees(f *Func) []*Func {
	var list []*Func
	for _, it := range f.items {
		if it.call == nil || s.byFn[it.call.callee] == nil {
			continue
		}
		if s.spliced[it.call.callee] == nil {
			s.spliced[it.call.callee] = map[ssa.Instruction]bool{}
		}
		s.spliced[it.call.callee][it.call.instr] = true
		list = append(list, s.byFn[it.call.callee])
	}
	return list
}

// restate gives the functions of a component the accesses of those that they call. What
// they call each other for is told in rounds: in each, a function has what was new in the
// round before, but for what comes from itself.
func (s *Package) restate(comp []*Func) {
	within := map[*Func]bool{}
	for _, f := range comp {
		within[f] = true
	}
	again := s.recurs(comp, within)
	known := map[*Func][]*Access{}
	for _, f := range comp {
		for _, it := range f.items {
			var list []*Access
			if it.call == nil {
				list = []*Access{it.access}
			} else if g := s.byFn[it.call.callee]; g != nil && !within[g] {
				list = s.lift(f, it.call, g.Accesses)
			}
			if again && len(list) > 0 {
				known[f] = append(known[f], list...)
			}
		}
	}
	for len(known) > 0 {
		news := map[*Func][]*Access{}
		for _, f := range comp {
			for _, it := range f.items {
				if it.call == nil || !within[s.byFn[it.call.callee]] {
					continue
				}
				it.call.back = true
				if list := s.lift(f, it.call, known[s.byFn[it.call.callee]]); len(list) > 0 {
					news[f] = append(news[f], list...)
				}
			}
		}
		known = news
	}
	for _, f := range comp {
		f.gather()
		for _, acc := range f.Accesses {
			acc.Index = s.last
			s.last++
		}
	}
}

// recurs reports whether the functions of a component call each other.
func (s *Package) recurs(comp []*Func, within map[*Func]bool) bool {
	return len(comp) > 1 || slices.ContainsFunc(comp[0].items, func(it item) bool { return it.call != nil && within[s.byFn[it.call.callee]] })
}

// comesFrom reports whether a call of the function leads to an access.
func (acc *Access) comesFrom(f *Func) bool {
	for ; acc != nil; acc = acc.Of {
		if acc.Instr.Parent() == f.SSA {
			return true
		}
	}
	return false
}

// gather makes the list of a function of its items.
func (f *Func) gather() {
	n := 0
	for _, it := range f.items {
		if it.call == nil {
			n++
		} else {
			n += len(it.call.list)
		}
	}
	f.Accesses = make([]*Access, 0, n)
	for _, it := range f.items {
		if it.call == nil {
			f.Accesses = append(f.Accesses, it.access)
		} else {
			f.Accesses = append(f.Accesses, it.call.list...)
		}
	}
	f.items = nil
}

// maxAccesses bounds those of other functions that a function has; beyond it a function
// is a program, and the run says so. Writes that are deferred come last, and have as
// much again.
const maxAccesses = 2000

// lift restates accesses of a callee where it is called, with the locks of both. It
// returns what is new.
func (s *Package) lift(f *Func, c *call, accesses []*Access) []*Access {
	first := len(c.list)
	for _, acc := range accesses {
		limit := maxAccesses
		if c.deferred && acc.Write {
			limit *= 2
		}
		if f.lifted >= limit || !s.flow.Spend(1) {
			f.bounded = true
			continue
		}
		if c.back && acc.comesFrom(f) {
			continue
		}
		if cp := s.restated(c, acc); cp != nil {
			c.list = append(c.list, cp)
			f.lifted++
		}
	}
	return c.list[first:]
}

// restated is an access of the callee as one of the call; nil where it is none, or where
// the call has such a one.
func (s *Package) restated(c *call, acc *Access) *Access {
	low := c.lowered(s, acc.Spot)
	if low == nil || (acc.Of != nil || !acc.Write) && !low.beside || low.made {
		return nil
	}
	held := c.modes(s, acc.under)
	if c.has(repeated{low.id, acc.alike, held.id}) {
		return nil
	}
	if c.site == nil {
		c.site = &site{c.instr, c.deferred}
	}
	if len(s.space) == 0 {
		s.space = make([]Access, 256)
	}
	cp := &s.space[0]
	s.space = s.space[1:]
	*cp = Access{touch: acc.touch, Spot: low, under: held, site: c.site, Of: acc}
	return cp
}

// lowered is the spot of a callee in terms of the caller, nil where the caller has no
// name for it.
func (c *call) lowered(s *Package, at *Spot) *Spot {
	low, ok := c.spots[at]
	if ok {
		return low
	}
	if place, ok := s.lowered(at.Place, c.instr.Parent(), c.callee, c.args); ok {
		low = s.spot(place)
	}
	if c.spots == nil {
		c.spots = map[*Spot]*Spot{}
	}
	c.spots[at] = low
	return low
}

// has reports whether the call has come to such an access before: by methods of the
// same type, and with the same locks. Most accesses of a large program are those of a
// few helpers, met again on every way to them.
func (c *call) has(x repeated) bool {
	if c.met[x] {
		return true
	}
	if c.met == nil {
		c.met = map[repeated]bool{}
	}
	c.met[x] = true
	return false
}

// modes are the modes of the caller under those that an access has in the callee:
// accesses under the same locks share them.
func (c *call) modes(s *Package, at *under) *under {
	modes, ok := c.inside[at]
	if ok {
		return modes
	}
	if at.refs == nil {
		at.refs = Sorted(at.Held)
	}
	st := &state{held: c.held, seen: true, of: &Func{}}
	s.enterInOrder(st, at.refs, at.Held, c.instr.Parent(), c.callee, c.args)
	for _, first := range c.modesMet {
		if maps.Equal(first.Held, st.held) {
			modes = first
			break
		}
	}
	if modes == nil {
		modes = &under{Held: st.held, id: int32(len(c.modesMet))}
		c.modesMet = append(c.modesMet, modes)
	}
	if c.inside == nil {
		c.inside = map[*under]*under{}
	}
	c.inside[at] = modes
	return modes
}

// enter lays the modes of a callee over those of the caller.
func (s *Package) enter(st *state, held map[Ref]Mode, caller, callee *ssa.Function, args []ssa.Value) {
	s.enterInOrder(st, Sorted(held), held, caller, callee, args)
}

// enterInOrder is enter, where the order of the locks is known.
func (s *Package) enterInOrder(st *state, order []Ref, held map[Ref]Mode, caller, callee *ssa.Function, args []ssa.Value) {
	for _, r := range order {
		if held[r] == Unknown {
			continue
		}
		if low, ok := s.lowered(r, caller, callee, args); ok {
			st.set(low, held[r])
		}
	}
}
