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

// clone is the same state on its way from the beginning of a block.
func (s *state) clone() *state {
	s.seen = true
	return &state{s.held, true, slices.Clip(s.deferred), s.dropped, s.of}
}

// modes are the modes as they are now; what is done to s later leaves them.
func (s *state) modes() Held {
	s.seen = true
	return s.held
}

// set says what is known of a lock.
func (s *state) set(r Ref, to standing) {
	old, ok := s.held[r]
	if old == to {
		return
	}
	if !ok && len(s.held) >= maxLocks {
		s.of.bounded = true
		return
	}
	if s.seen {
		s.held, s.seen = maps.Clone(s.held), false
	}
	if s.held[r] = to; to == (standing{}) {
		delete(s.held, r)
	}
}

// stand says how a lock stands.
func (s *state) stand(r Ref, to lockState) { s.set(r, standing{lockState: to}) }

// lose says that nothing more is known of a lock.
func (s *state) lose(r Ref) { s.stand(r, lockState{Mixed, unsettled}) }

// loseHeld says that of the locks that are held.
func (s *state) loseHeld() {
	for r, l := range s.held {
		if l.Mode == Writing || l.Mode == Reading {
			s.lose(r)
		}
	}
}

func (s *state) stateOf(r Ref) lockState { return s.held[r].lockState }

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
		return lockState{l.Mode, plus(before.turn, l.turn)}
	}
	if before.Mode == Unknown && l.Mode != Mixed {
		before.Mode = l.Mode
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
func (s *state) wait(r Ref, p pending) { s.set(r, standing{lockState{Mixed, unsettled}, p}) }

// decide settles the locks that wait for an outcome. An error says that a call
// has failed; that there is none does not say that another result is true.
func (s *state) decide(o outcome) {
	for r, l := range s.held {
		switch {
		case l.call != o.call:
		case o.ok && l.result == o.result:
			s.stand(r, l.ok)
		case !o.ok && l.result <= o.result:
			s.stand(r, l.fail)
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
	changed := false
	if reflect.ValueOf(s.held).Pointer() != reflect.ValueOf(o.held).Pointer() { // as on ways that touch no lock
		for _, locks := range []Held{o.held, s.held} {
			for r := range locks {
				if both := s.held[r].or(o.held[r]); both != s.held[r] {
					s.set(r, both)
					changed = true
				}
			}
		}
	}
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

// or is what is known of a lock of which one of two things is.
func (l standing) or(o standing) standing {
	both := standing{l.lockState.or(o.lockState), l.pending}
	if l.pending != o.pending {
		both.pending, both.Mode = pending{}, Mixed
	}
	return both
}

// or is how a lock stands that stands in one of two ways.
func (l lockState) or(o lockState) lockState {
	if l.Mode != o.Mode {
		l.Mode = Mixed
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
