package lockset

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A state is what is known at one point: the modes of the locks, and the calls
// that wait for the function to return.
type state struct {
	held     map[Ref]Mode
	pending  map[Ref]pending
	shared   bool // the maps are seen by others: they are copied before a change
	deferred []deferral
}

// A pending lock is Mixed until the last result of a call is tested: an error
// that is nil, a bool that is true say that it is in mode ok.
type pending struct {
	call     ssa.Value
	ok, fail Mode
}

// A deferral is a call that waits for the function to return; maybe says that it
// does so on some paths only.
type deferral struct {
	call  *ssa.Defer
	maybe bool
}

// maxLocks bounds the locks that a state knows; those beyond it stay unknown.
const maxLocks = 200

func newState() *state { return &state{held: map[Ref]Mode{}, pending: map[Ref]pending{}} }

func (s *state) clone() *state {
	s.shared = true
	return &state{s.held, s.pending, true, slices.Clip(s.deferred)}
}

// modes are the modes as they are now; what is done to s later leaves them.
func (s *state) modes() map[Ref]Mode {
	s.shared = true
	return s.held
}

func (s *state) own() {
	if s.shared {
		s.held, s.pending, s.shared = maps.Clone(s.held), maps.Clone(s.pending), false
	}
}

func (s *state) set(r Ref, m Mode) {
	if _, ok := s.held[r]; !ok && (m == Unknown || len(s.held) >= maxLocks) {
		return
	}
	s.own()
	delete(s.pending, r)
	if m == Unknown {
		delete(s.held, r)
		return
	}
	s.held[r] = m
}

// wait makes the mode of a lock depend on the outcome of a call.
func (s *state) wait(r Ref, p pending) {
	s.set(r, Mixed)
	if s.held[r] == Mixed {
		s.pending[r] = p
	}
}

// decide settles the locks that wait for the outcome of a call.
func (s *state) decide(call ssa.Value, ok bool) {
	for r, p := range s.pending {
		switch {
		case p.call != call:
		case ok:
			s.set(r, p.ok)
		default:
			s.set(r, p.fail)
		}
	}
}

// join keeps what both know. It reports whether s changed.
func (s *state) join(o *state) bool {
	changed := false
	mix := func(r Ref) {
		s.own()
		s.held[r], changed = Mixed, true
		delete(s.pending, r)
	}
	for r := range o.held {
		if _, ok := s.held[r]; !ok {
			mix(r)
		}
	}
	for r, m := range s.held {
		p, waits := s.pending[r]
		if m != Mixed && o.held[r] != m || waits && o.pending[r] != p {
			mix(r)
		}
	}
	deferred := either(s.deferred, o.deferred)
	if !slices.Equal(deferred, s.deferred) {
		s.deferred, changed = deferred, true
	}
	return changed
}

// either is what waits after one of two ways: what waits on both, then what may.
func either(a, b []deferral) []deferral {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) && n == len(b) {
		return a
	}
	list := slices.Clone(a[:n])
	maybe := map[*ssa.Defer]bool{}
	for _, d := range list {
		maybe[d.call] = d.maybe
	}
	for _, d := range slices.Concat(a[n:], b[n:]) {
		if !maybe[d.call] {
			maybe[d.call] = true
			list = append(list, deferral{d.call, true})
		}
	}
	return list
}
