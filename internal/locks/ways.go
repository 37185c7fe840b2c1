package locks

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/flow"
)

// Held are the locks of Func at its instruction.
func (w Way) Held() Held {
	if w.call != nil {
		return w.call.Held
	}
	return w.Access.Held
}

// Mode is the mode of the lock.
func (w Way) Mode() Mode { return w.Held()[w.Lock].Mode }

// Direct reports whether Func makes the access itself.
func (w Way) Direct() bool { return w.call == nil }

// Deferred reports whether the access happens when Func returns.
func (w Way) Deferred() bool { return w.call != nil && w.call.Deferred }

// Ways are the functions that know how a lock stands at an access to a place beside it. The function
// that makes it does if it touches the lock before, or decides, which may be nil, says so, or nobody in
// the package need call it. Otherwise its callers know, and so on. A lock that no caller has a name for
// is known to nobody.
func (s *Package) Ways(acc *Access, lock Ref, decides func(Way) bool) iter.Seq[Way] {
	return func(yield func(Way) bool) {
		here := Way{acc.Func, acc.Instr, lock, acc.Place, acc, nil}
		if s.knows(here, decides) { // as most do
			yield(here)
			return
		}
		for _, w := range s.above(acc.Func, lock, decides) {
			w.Access, w.Place = acc, acc.Place.beside(lock, w.Lock)
			if !yield(w) {
				return
			}
		}
	}
}

func (s *Package) knows(w Way, decides func(Way) bool) bool {
	return w.Mode() != Unknown || decides != nil && decides(w) || s.Entered(w.Func.SSA)
}

// above are the callers of a function that know how a lock stands, without the access: they are the
// same for all accesses of the function.
func (s *Package) above(f *Func, lock Ref, decides func(Way) bool) []Way {
	key := asked{f, lock, decides != nil}
	list, ok := s.asked[key]
	if ok {
		return list
	}
	here := Way{Func: f, Lock: lock}
	list = flow.Reach(s.flow.Budget, func(w Way) []Way {
		if w != here && s.knows(w, decides) {
			return nil
		}
		var next []Way
		for _, c := range s.sites[w.Func.SSA] {
			if low, ok := s.lowered(w.Lock, c); ok {
				next = append(next, Way{Func: c.Caller, Instr: c.Instr, Lock: low, call: c})
			}
		}
		return next
	}, here)
	list = slices.DeleteFunc(list, func(w Way) bool { return w == here || !s.knows(w, decides) })
	s.asked[key] = list
	return list
}

// beside is the place beside a lock that another function calls low.
func (r Ref) beside(lock, low Ref) Ref {
	object := lock.Path[:strings.LastIndexByte(lock.Path, '.')+1]
	rest, ok := strings.CutPrefix(r.Path, object)
	if r.Root != lock.Root || !ok {
		return r
	}
	return Ref{low.Root, low.Path[:strings.LastIndexByte(low.Path, '.')+1] + rest}
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

// Under are the locks under which an instruction reads a place: in front of it, or where what it calls
// reads it.
func (s *Package) Under(f *Func, i ssa.Instruction, place Ref) []Held {
	var list []Held
	for _, c := range f.calls {
		if c.Instr != i {
			continue
		}
		for _, acc := range s.below(c, map[*ssa.Function]bool{}) {
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

// below are the accesses of a called function, and of those that it calls, in terms of the caller:
// under the locks of the caller, and over those what the function has done to locks.
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
		cp := *acc
		cp.Place, cp.Held, cp.Instr = place, s.enter(c, acc.Held), c.Instr
		restated = append(restated, &cp)
	}
	return restated
}

// enter are the locks of a callee over those of its caller, in terms of the caller.
func (s *Package) enter(c *Call, inner Held) Held {
	held := maps.Clone(c.Held)
	for _, r := range Sorted(inner) {
		if low, ok := s.lowered(r, c); ok {
			held[low] = inner[r]
		}
	}
	return held
}
