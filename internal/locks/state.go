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
	return &state{s.held, s.turns, s.pending, s.forks, true, true, slices.Clip(s.deferred), s.dropped, s.of, nil}
}

// modes are the modes as they are now; what is done to s later leaves them.
func (s *state) modes() map[Ref]Mode {
	s.seen = true
	return s.held
}

// holds reports whether a lock is held.
func (s *state) holds() bool {
	for _, m := range s.held {
		if m == Writing || m == Reading {
			return true
		}
	}
	return false
}

// ownHeld makes the modes such as may be changed.
func (s *state) ownHeld() {
	if s.seen {
		s.held, s.seen = maps.Clone(s.held), false
	}
}

// ownRest makes all but the modes such as may be changed. Two of the maps seldom have anything
// in them, and are nil where they have nothing.
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
	if len(s.forks) > 0 {
		s.forks = maps.Clone(s.forks)
	} else {
		s.forks = nil
	}
}

func (s *state) set(r Ref, m Mode) {
	old, ok := s.held[r]
	if !ok && (m == Unknown || len(s.held) >= maxLocks) {
		s.of.bounded = s.of.bounded || m != Unknown
		return
	}
	if !s.plain(r) {
		s.ownRest()
		delete(s.pending, r)
		delete(s.forks, r)
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
func (s *state) stand(r Ref, to standing) {
	s.set(r, to.mode)
	if _, ok := s.held[r]; s.turns[r] != to.turn && (ok || to.mode == Unknown) {
		s.ownRest()
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
// ever turn Mixed and unsettled, an outcome that is waited for and a fork go and do not
// come back, and calls that are deferred for certain turn into such that may be: a block
// has no more than a few states for each lock and each defer statement.
func joinStates(at, more *state) (joined *state, changed bool) {
	s := at.clone()
	s.parted = at.parted
	return s, s.merge(more, s.lasting(s.forked(more)))
}

// lasting are the forks without those of locks of which another one was known before.
func (s *state) lasting(forks map[Ref]fork) map[Ref]fork {
	if len(s.forks) == 0 && len(s.parted) == 0 {
		return forks
	}
	parted := maps.Clone(s.parted)
	for r, f := range s.forks {
		if forks[r] == f {
			continue
		}
		if parted == nil {
			parted = map[Ref]bool{}
		}
		parted[r] = true
	}
	s.parted = parted
	forks = maps.Clone(forks)
	maps.DeleteFunc(forks, func(r Ref, _ fork) bool { return parted[r] })
	return forks
}

// join keeps what both know. It reports whether s changed.
func (s *state) join(o *state) bool { return s.merge(o, s.forked(o)) }

// merge keeps what both know, and the forks. It reports whether s changed.
func (s *state) merge(o *state, forks map[Ref]fork) bool {
	changed := !maps.Equal(forks, s.forks)
	parted := changed
	if !s.alike(o) {
		changed = s.mixAll(o) || changed
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
	if parted {
		s.ownRest()
		s.forks = forks
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
	st, p := s.standing(r), s.pending[r]
	both := st.or(o.standing(r))
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
func (l standing) or(o standing) standing {
	if l.mode != o.mode {
		l.mode = Mixed
	}
	if l.turn != o.turn {
		l.turn = unsettled
	}
	return l
}

// forked are the forks that hold for both states: those of one in which the
// other stands on one side, and those where the two part, one with calls deferred
// that the other has not.
func (s *state) forked(o *state) map[Ref]fork {
	if len(s.forks) == 0 && len(o.forks) == 0 && slices.Equal(s.deferred, o.deferred) {
		return s.forks
	}
	forks := map[Ref]fork{}
	for r, f := range s.forks {
		if f.has(r, o) {
			forks[r] = f
		}
	}
	for r, f := range o.forks {
		if f.has(r, s) {
			forks[r] = f
		}
	}
	with, without, more := s, o, extra(s.deferred, o.deferred)
	if more == nil {
		with, without, more = o, s, extra(o.deferred, s.deferred)
	}
	if more == nil {
		return forks
	}
	for r := range with.held {
		f := fork{more[0].call, len(more), with.standing(r), without.standing(r)}
		if f.with != f.without {
			forks[r] = f
		}
	}
	return forks
}

// plain reports whether nothing but its standing is known of a lock.
func (s *state) plain(r Ref) bool {
	_, waits := s.pending[r]
	_, forks := s.forks[r]
	return !waits && !forks
}

// has reports whether a lock stands in a state as on one side of the fork.
func (f fork) has(r Ref, s *state) bool {
	if same, ok := s.forks[r]; ok {
		return same == f
	}
	i := slices.IndexFunc(s.deferred, func(d deferral) bool { return d.call == f.call })
	switch {
	case !s.plain(r):
		return false
	case i < 0:
		return s.standing(r) == f.without
	}
	return !s.deferred[i].maybe && s.standing(r) == f.with
}

// extra are the calls that one list has behind all of another, nil if it has
// none, or has them on some ways only.
func extra(long, short []deferral) []deferral {
	if len(long) <= len(short) || !slices.Equal(long[:len(short)], short) {
		return nil
	}
	more := long[len(short):]
	if slices.ContainsFunc(more, func(d deferral) bool { return d.maybe }) {
		return nil
	}
	return more
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
