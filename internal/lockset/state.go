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
	turns    map[Ref]int // how often the function has taken the lock more than let go of it
	pending  map[Ref]pending
	shared   bool // the maps are seen by others: they are copied before a change
	deferred []deferral
}

// unsettled is the turn of a lock that is taken on some ways only.
const unsettled = 1 << 20

// A standing is what is known of one lock.
type standing struct {
	mode Mode
	turn int
}

// A pending lock is Mixed until the result of a call is tested that tells of it:
// an error that is nil, a bool that is true say that it stands as in ok.
type pending struct {
	call     ssa.Value
	result   int
	ok, fail standing
}

// A deferral is a call that waits for the function to return; maybe says that it
// does so on some paths only.
type deferral struct {
	call  *ssa.Defer
	maybe bool
}

// maxLocks bounds the locks that a state knows; those beyond it stay unknown.
const maxLocks = 200

func newState() *state {
	return &state{held: map[Ref]Mode{}, turns: map[Ref]int{}, pending: map[Ref]pending{}}
}

func (s *state) clone() *state {
	s.shared = true
	return &state{s.held, s.turns, s.pending, true, slices.Clip(s.deferred)}
}

// modes are the modes as they are now; what is done to s later leaves them.
func (s *state) modes() map[Ref]Mode {
	s.shared = true
	return s.held
}

func (s *state) own() {
	if s.shared {
		s.held, s.turns, s.pending, s.shared = maps.Clone(s.held), maps.Clone(s.turns), maps.Clone(s.pending), false
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

// stand says how a lock stands.
func (s *state) stand(r Ref, to standing) {
	s.set(r, to.mode)
	if _, ok := s.held[r]; s.turns[r] != to.turn && (ok || to.mode == Unknown) {
		s.own()
		s.turns[r] = to.turn
	}
}

// lose says that nothing more is known of a lock.
func (s *state) lose(r Ref) { s.stand(r, standing{Mixed, unsettled}) }

func (s *state) standing(r Ref) standing { return standing{s.held[r], s.turns[r]} }

// act takes a lock or lets go of it. Who has a read lock twice keeps one.
func (s *state) act(r Ref, m Mode) {
	old := s.standing(r)
	switch m {
	case Free:
		turn := plus(old.turn, -1)
		if old.mode == Reading && turn > 0 && turn != unsettled {
			m = Reading
		}
		s.stand(r, standing{m, turn})
	case Reading, Writing:
		s.stand(r, standing{m, plus(old.turn, 1)})
	default:
		s.lose(r)
	}
}

// after is how a lock stands after a function that leaves it so, in the terms of
// the function: one that has taken it as often as it has let go of it leaves it
// as it was.
func (l standing) after(before standing) standing {
	if l.turn != 0 {
		return standing{l.mode, plus(before.turn, l.turn)}
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
	s.stand(r, standing{Mixed, unsettled})
	if s.held[r] == Mixed {
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
	for _, turns := range []map[Ref]int{s.turns, o.turns} {
		for r := range turns {
			if s.turns[r] != o.turns[r] && s.turns[r] != unsettled {
				s.own()
				s.turns[r], changed = unsettled, true
			}
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
