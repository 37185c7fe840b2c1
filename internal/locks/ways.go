package locks

import (
	"iter"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
)

// A Way is a function that knows how a lock stands at an access: the one that makes the access,
// or one that leads to it by calls.
type Way struct {
	Func  *Func
	Instr ssa.Instruction // the access, or the call that leads to it
	// Lock and Place are the lock and the place of the access, as Func names them.
	Lock, Place Ref

	// Access is the access itself.
	Access *Access

	call *Call // nil where Func makes the access
}

// Held are the modes of the locks of Func at its instruction.
func (w Way) Held() map[Ref]Mode {
	if w.call != nil {
		return w.call.Held
	}
	return w.Access.Held
}

// Mode is the mode of the lock.
func (w Way) Mode() Mode { return w.Held()[w.Lock] }

// Direct reports whether Func makes the access itself.
func (w Way) Direct() bool { return w.call == nil }

// Deferred reports whether the access happens when Func returns.
func (w Way) Deferred() bool { return w.call != nil && w.call.Deferred }

// Ways are the functions that know how a lock stands at an access. The function that makes it does
// if it touches the lock before, or decides, which may be nil, says so, or nobody in the package need call it.
// Otherwise its callers know, and so on. A lock that no caller has a name for is known to nobody.
func (s *Package) Ways(acc *Access, lock Ref, decides func(Way) bool) iter.Seq[Way] {
	known := func(w Way) bool {
		return w.Mode() != Unknown || decides != nil && decides(w) || s.Entered(w.Func.SSA)
	}
	return func(yield func(Way) bool) {
		here := Way{acc.Func, acc.Instr, lock, acc.Place, acc, nil}
		if known(here) { // as most do
			yield(here)
			return
		}
		for _, w := range flow.Reach(s.flow.Budget, func(w Way) []Way {
			if known(w) {
				return nil
			}
			return s.above(w)
		}, here) {
			if known(w) && !yield(w) {
				return
			}
		}
	}
}

// above are the calls that lead to a way.
func (s *Package) above(w Way) []Way {
	var list []Way
	for _, c := range s.sites[w.Func.SSA] {
		lock, named := s.lowered(w.Lock, c)
		place, known := s.lowered(w.Place, c)
		if named && known {
			list = append(list, Way{c.Caller, c.Instr, lock, place, w.Access, c})
		}
	}
	return list
}

// Entered reports whether a function can be entered from where no call is seen: it is
// exported, or nothing of the package calls it, or it is used as a value. Who calls a literal, and
// what he holds then, is seen or cannot be told, unless it is started as a goroutine.
func (s *Package) Entered(fn *ssa.Function) bool {
	calls := s.effects.Callers()
	if s.Started(fn) {
		return true
	}
	if fn.Parent() != nil {
		return false
	}
	return fn.Object() != nil && fn.Object().Exported() || len(s.sites[fn]) == 0 || len(calls.Values(fn)) > 0
}

// Started reports whether a function is started as a goroutine.
func (s *Package) Started(fn *ssa.Function) bool {
	return slices.ContainsFunc(s.effects.Callers().Sites(fn), func(site ssa.CallInstruction) bool {
		_, ok := site.(*ssa.Go)
		return ok
	})
}

// At are the accesses that an instruction makes, or that the functions make which it calls, in
// terms of f.
func (s *Package) At(f *Func, i ssa.Instruction) []*Access {
	var list []*Access
	for _, acc := range f.Accesses {
		if acc.Instr == i {
			list = append(list, acc)
		}
	}
	for _, c := range f.calls {
		if c.Instr == i {
			list = append(list, s.below(c, map[*ssa.Function]bool{})...)
		}
	}
	return list
}

// below are the accesses of a called function, and of those that it calls, in terms of the caller.
func (s *Package) below(c *Call, seen map[*ssa.Function]bool) []*Access {
	f := s.byFn[c.callee]
	if f == nil || seen[c.callee] {
		return nil
	}
	seen[c.callee] = true
	list := slices.Clone(f.Accesses)
	for _, d := range f.calls {
		list = append(list, s.below(d, seen)...)
	}
	var restated []*Access
	for _, acc := range list {
		place, ok := s.lowered(acc.Place, c)
		if !ok {
			continue
		}
		held := maps.Clone(c.Held)
		for _, r := range Sorted(acc.Held) {
			if low, ok := s.lowered(r, c); ok && acc.Held[r] != Unknown {
				held[low] = acc.Held[r]
			}
		}
		cp := *acc
		cp.Place, cp.Held, cp.Instr = place, held, c.Instr
		restated = append(restated, &cp)
	}
	return restated
}

// Under are the modes of the locks under which an instruction reads a place: in
// front of it, or where what it calls reads it.
func (s *Package) Under(f *Func, i ssa.Instruction, place Ref) []map[Ref]Mode {
	var list []map[Ref]Mode
	if _, ok := i.(*ssa.Call); ok {
		for _, acc := range s.At(f, i) {
			if !acc.Write && (acc.Place.Within(place) || place.Within(acc.Place)) {
				list = append(list, acc.Held)
			}
		}
	}
	if len(list) == 0 {
		list = append(list, f.Held(i))
	}
	return list
}
