package locks

import (
	"maps"
	"reflect"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// unsettled is the turn of a lock that is taken on some ways only.
const unsettled = 1 << 20

// maxLocks bounds the locks that a state knows; those beyond it stay unknown, and the
// run says so.
const maxLocks = 200

func newState(of *Func) *state {
	return &state{held: map[Ref]Mode{}, turns: map[Ref]int{}, of: of}
}

// clone is the same state on its way from the beginning of a block.
func (s *state) clone() *state {
	s.shared, s.seen = true, true
	return &state{s.held, s.turns, s.pending, true, true, slices.Clip(s.deferred), s.dropped, s.of}
}

// modes are the modes as they are now; what is done to s later leaves them.
func (s *state) modes() map[Ref]Mode {
	s.seen = true
	return s.held
}

// ownHeld makes the modes such as may be changed.
func (s *state) ownHeld() {
	if s.seen {
		s.held, s.seen = maps.Clone(s.held), false
	}
}

// ownRest makes all but the modes such as may be changed. There is seldom anything pending.
func (s *state) ownRest() {
	if !s.shared {
		return
	}
	s.turns, s.shared = maps.Clone(s.turns), false
	if len(s.pending) > 0 {
		s.pending = maps.Clone(s.pending)
	} else {
		s.pending = nil
	}
}

func (s *state) set(r Ref, m Mode) {
	old, ok := s.held[r]
	if !ok && (m == Unknown || len(s.held) >= maxLocks) {
		s.of.bounded = s.of.bounded || m != Unknown
		return
	}
	if _, waits := s.pending[r]; waits {
		s.ownRest()
		delete(s.pending, r)
	}
	switch {
	case m == Unknown:
		s.ownHeld()
		delete(s.held, r)
	case !ok || m != old:
		s.ownHeld()
		s.held[r] = m
	}
}

// stand says how a lock stands.
func (s *state) stand(r Ref, to lockState) {
	s.set(r, to.mode)
	if _, ok := s.held[r]; s.turns[r] != to.turn && (ok || to.mode == Unknown) {
		s.ownRest()
		s.turns[r] = to.turn
	}
}

// lose says that nothing more is known of a lock.
func (s *state) lose(r Ref) { s.stand(r, lockState{Mixed, unsettled}) }

// loseHeld says that of the locks that are held.
func (s *state) loseHeld() {
	for r, m := range s.held {
		if m == Writing || m == Reading {
			s.lose(r)
		}
	}
}

func (s *state) stateOf(r Ref) lockState { return lockState{s.held[r], s.turns[r]} }

// act takes a lock or lets go of it. Who has a read lock twice keeps one.
func (s *state) act(r Ref, m Mode) {
	old := s.stateOf(r)
	switch m {
	case Free:
		turn := plus(old.turn, -1)
		s.stand(r, lockState{m, turn})
	case Reading, Writing:
		s.stand(r, lockState{m, plus(old.turn, 1)})
	default:
		s.lose(r)
	}
}

// after is how a lock stands after a function that leaves it so, in the terms of
// the function: one that has taken it as often as it has let go of it leaves it
// as it was.
func (l lockState) after(before lockState) lockState {
	if l.turn != 0 {
		return lockState{l.mode, plus(before.turn, l.turn)}
	}
	if before.mode == Unknown && l.mode != Mixed {
		before.mode = l.mode
	}
	return before
}

func plus(turn, n int) int {
	if turn == unsettled || n == unsettled {
		return unsettled
	}
	return turn + n
}

// wait makes the mode of a lock depend on the outcome of a call.
func (s *state) wait(r Ref, p pending) {
	s.stand(r, lockState{Mixed, unsettled})
	if s.held[r] == Mixed {
		s.ownRest()
		if s.pending == nil {
			s.pending = map[Ref]pending{}
		}
		s.pending[r] = p
	}
}

// decide settles the locks that wait for an outcome. An error says that a call
// has failed; that there is none does not say that another result is true.
func (s *state) decide(o outcome) {
	for r, p := range s.pending {
		switch {
		case p.call != o.call:
		case o.ok && p.result == o.result:
			s.stand(r, p.ok)
		case !o.ok && p.result <= o.result:
			s.stand(r, p.fail)
		}
	}
}

// joinStates is what both states at the beginning of a block know. Modes and turns only
// ever turn Mixed and unsettled, an outcome that is waited for goes and does not come back,
// and calls that are deferred for certain turn into such that may be: a block
// has no more than a few states for each lock and each defer statement.
func joinStates(at, more *state) (joined *state, changed bool) {
	s := at.clone()
	return s, s.join(more)
}

// join keeps what both know. It reports whether s changed.
func (s *state) join(o *state) bool {
	changed := !s.alike(o) && s.mixAll(o)
	deferred := either(s.deferred, o.deferred)
	s.of.bounded = s.of.bounded || len(deferred) > maxDeferred
	if dropped := o.dropped || len(deferred) > maxDeferred; dropped && !s.dropped {
		s.dropped, changed = true, true
	}
	deferred = deferred[:min(len(deferred), maxDeferred)]
	if !slices.Equal(deferred, s.deferred) {
		s.deferred, changed = deferred, true
	}
	return changed
}

// alike reports whether two states have the same maps, as those of ways have that touch
// no lock.
func (s *state) alike(o *state) bool {
	return sameMap(s.held, o.held) && sameMap(s.turns, o.turns) && sameMap(s.pending, o.pending)
}

func sameMap[V any](a, b map[Ref]V) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// mixAll says of all locks what both know. It reports whether s changed.
func (s *state) mixAll(o *state) bool {
	changed := false
	for r := range o.held {
		changed = s.mix(r, o) || changed
	}
	for r := range s.held {
		if _, done := o.held[r]; !done {
			changed = s.mix(r, o) || changed
		}
	}
	for r := range s.turns {
		if _, done := s.held[r]; !done {
			changed = s.mix(r, o) || changed
		}
	}
	return changed
}

// mix says of one lock what both know. It reports whether s changed.
func (s *state) mix(r Ref, o *state) bool {
	st, p := s.stateOf(r), s.pending[r]
	both := st.or(o.stateOf(r))
	if p == o.pending[r] && both == st {
		return false
	}
	if p == (pending{}) && both == st {
		return false
	}
	if p != o.pending[r] {
		s.ownRest()
		delete(s.pending, r)
		both.mode = Mixed
	}
	if mode, ok := s.held[r]; !ok || mode != both.mode {
		s.ownHeld()
		s.held[r] = both.mode
	}
	if turn, ok := s.turns[r]; !ok || turn != both.turn {
		s.ownRest()
		s.turns[r] = both.turn
	}
	return true
}

// or is how a lock stands that stands in one of two ways.
func (l lockState) or(o lockState) lockState {
	if l.mode != o.mode {
		l.mode = Mixed
	}
	if l.turn != o.turn {
		l.turn = unsettled
	}
	return l
}

// later makes a call wait for the function to return.
func (s *state) later(d *ssa.Defer) {
	if len(s.deferred) >= maxDeferred {
		s.dropped, s.of.bounded = true, true
		return
	}
	s.deferred = append(s.deferred, deferral{d, false})
}

// maxDeferred bounds the deferred calls that a state knows: where there are more, no
// lock is known when the function returns, and the run says so.
const maxDeferred = 64

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
