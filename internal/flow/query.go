package flow

import "slices"

// A Solver answers the questions of its queries, which may depend on each other in any
// way. A question that depends on no open one is answered once, and its answer kept.
// Questions that depend on each other, a component, are answered in rounds: in each
// round every one of them is answered from what the round before has found, beginning
// with what is known of them where nothing is. So no answer depends on which question
// was asked first, and none that is provisional is kept.
type Solver struct {
	budget  *Budget
	waiting []*node // open questions: those that are being answered, and those that wait for one of them
	asking  []*node // those that are being answered, innermost last
}

// NewSolver makes a solver that spends the steps of a budget.
func NewSolver(b *Budget) *Solver { return &Solver{budget: b} }

// A node is one question of one query, as the solver sees it.
type node struct {
	index int        // its place among the open ones
	low   int        // the lowest place that it depends on
	self  bool       // it depends on itself
	in    *component // that is being answered, and that it belongs to
	q     asker

	asked   []*node // those of its component that its answer was made of
	asker   *node   // that has noted it last
	changed bool    // its answer, in the last round
}

// An asker is a question with its query.
type asker interface {
	restart()
	again(widen bool) (changed bool)
	commit()
	finish()
	rounds() int
	exact() bool
	giveUp()
}

// A component is a set of questions that depend on each other. They stand among the
// open ones one behind the other.
type component struct {
	first   int
	members []*node
}

// A Query is one kind of question: what Eval answers of a K, which may ask others.
type Query[K comparable, V any] struct {
	// Question names it, and About the function that a K is about, for the record of
	// what was given up.
	Question string
	About    func(K) string
	// Eval answers one question. It asks others by Ask.
	Eval func(K) V
	// Start is what is known of a question that depends on itself before the first
	// round. Where it is nil that is the zero value.
	Start func(K) V
	// Cut says of which questions no more than that is ever told to the others of a
	// component. Where it is nil, of none.
	Cut func(K) bool
	// Equal says when a round has found nothing new of a question, for those who have
	// asked it. Where it is nil, all Rounds are run.
	Equal func(a, b V) bool
	// Rounds bounds the rounds of a component with such a question.
	Rounds int
	// Widen joins what a round has found to what was found before it. It is asked in the
	// second half of the rounds: answers that are cut to a size may displace each other
	// for ever, and those that only grow end. Where it is nil, a round's answer is taken
	// as it is.
	Widen func(before, now V) V

	s    *Solver
	memo map[K]V             // final answers
	open map[K]*answer[K, V] // of questions that are being answered
	free []*answer[K, V]     // of questions that depended on no open one
}

type answer[K comparable, V any] struct {
	node
	query     *Query[K, V]
	key       K
	val, next V
}

// Bind makes the query one of a solver. It is called once, before anything is asked.
func (q *Query[K, V]) Bind(s *Solver) *Query[K, V] {
	q.s, q.memo, q.open = s, map[K]V{}, map[K]*answer[K, V]{}
	return q
}

// Ask answers a question. What is asked in the course of its own answer tells what is
// known so far.
func (q *Query[K, V]) Ask(k K) V {
	if v, ok := q.memo[k]; ok {
		return v
	}
	switch a := q.open[k]; {
	case a == nil:
	case a.in != nil:
		q.s.dependOn(&a.node, a.in.first)
		if q.Cut != nil && q.Cut(k) {
			return q.start(k) // in every round
		}
		q.s.madeOf(&a.node)
		return a.val
	default:
		q.s.dependOn(&a.node, a.index)
		return q.start(k)
	}
	if !q.s.budget.Spend(1) {
		q.s.budget.GiveUp(q.Question, q.about(k), Steps)
		return q.start(k)
	}
	a := q.begin(k)
	q.s.open(&a.node)
	v := q.Eval(k)
	switch q.s.close(&a.node) {
	case alone:
		a.val = v
		a.finish()
		q.free = append(q.free, a) // nobody else knows of it
		return v
	case waits:
		return v // whoever asks waits, too
	}
	return a.val
}

// begin opens a question.
func (q *Query[K, V]) begin(k K) *answer[K, V] {
	var a *answer[K, V]
	if n := len(q.free); n > 0 {
		a, q.free = q.free[n-1], q.free[:n-1]
	} else {
		a = new(answer[K, V])
	}
	*a = answer[K, V]{query: q, key: k}
	a.node.q = a
	q.open[k] = a
	return a
}

// Open reports whether a question is being answered, so that Ask tells no more of it than
// what is known so far. Who looks at that has to ask, too.
func (q *Query[K, V]) Open(k K) bool {
	return q.open[k] != nil
}

func (q *Query[K, V]) start(k K) V {
	if q.Start != nil {
		return q.Start(k)
	}
	var none V
	return none
}

func (q *Query[K, V]) about(k K) string {
	if q.About == nil {
		return ""
	}
	return q.About(k)
}

func (a *answer[K, V]) restart() { a.val = a.query.start(a.key) }
func (a *answer[K, V]) commit()  { a.val = a.next }

// finish makes the answer final.
func (a *answer[K, V]) finish() {
	a.query.memo[a.key] = a.val
	delete(a.query.open, a.key)
}

func (a *answer[K, V]) rounds() int {
	return max(a.query.Rounds, 1)
}

func (a *answer[K, V]) again(widen bool) bool {
	a.next = a.query.Eval(a.key)
	if widen && a.query.Widen != nil {
		a.next = a.query.Widen(a.val, a.next)
	}
	return a.query.Equal == nil || !a.query.Equal(a.val, a.next)
}

// exact reports whether the rounds are to find the answer, and not just to come near it.
func (a *answer[K, V]) exact() bool { return a.query.Equal != nil }

func (a *answer[K, V]) giveUp() {
	a.query.s.budget.GiveUp(a.query.Question, a.query.about(a.key), Rounds)
}

func (s *Solver) open(n *node) {
	n.index, n.low = len(s.waiting), len(s.waiting)
	s.waiting = append(s.waiting, n)
	s.asking = append(s.asking, n)
}

// dependOn notes that the question that is being answered depends on the open one n,
// and on all from a place on.
func (s *Solver) dependOn(n *node, index int) {
	if len(s.asking) == 0 {
		return
	}
	top := s.asking[len(s.asking)-1]
	top.self = top.self || top == n
	top.low = min(top.low, index)
}

// touched are the members that are answered again: those whose answer was made of one
// that the last round has changed. The others are as they are; of those without Equal
// that is not known to be the same.
func (c *component) touched() (again []*node) {
	for _, m := range c.members {
		if slices.ContainsFunc(m.asked, func(o *node) bool { return o.changed }) {
			again = append(again, m)
		}
	}
	for _, m := range c.members {
		m.changed = !m.q.exact()
	}
	return again
}

// madeOf notes that the answer that is being made changes with that of n, of a
// component.
func (s *Solver) madeOf(n *node) {
	if len(s.asking) == 0 {
		return
	}
	if top := s.asking[len(s.asking)-1]; n.asker != top {
		n.asker = top
		top.asked = append(top.asked, n)
	}
}

// An ending is how the answering of a question ends.
type ending uint8

const (
	alone    ending = iota // it depends on no open question
	together               // it was answered with those that depend on it
	waits                  // it depends on an open question before it
)

// close ends the answering of a question.
func (s *Solver) close(n *node) ending {
	s.asking = s.asking[:len(s.asking)-1]
	if n.low == n.index && !n.self && len(s.waiting) == n.index+1 {
		s.waiting = s.waiting[:n.index]
		return alone
	}
	low := n.low
	if low == n.index {
		low = s.solve(&component{n.index, append([]*node(nil), s.waiting[n.index:]...)})
	}
	if low == n.index {
		return together
	}
	s.dependOn(nil, low)
	return waits
}

// solve answers the questions of a component. It returns the place of the component, or
// that of an open question before it on which it has turned out to depend.
func (s *Solver) solve(c *component) (low int) {
	for {
		for _, m := range c.members {
			m.in = c
			m.q.restart()
		}
		found, low := s.rounds(c)
		if low < c.first {
			for _, m := range c.members {
				m.in = nil
			}
			return low
		}
		if !found {
			continue
		}
		s.waiting = s.waiting[:c.first]
		for _, m := range c.members {
			m.q.finish()
			m.in, m.asked, m.asker = nil, nil, nil
		}
		return low
	}
}

// rounds runs the rounds of a component. It stops where a question joins the component,
// or the component depends on one before it.
func (s *Solver) rounds(c *component) (found bool, low int) {
	most := 0
	for _, m := range c.members {
		most = max(most, m.q.rounds())
	}
	again := c.members
	for round := range most {
		more := false // questions have joined
		for _, m := range again {
			if !s.budget.Spend(1) {
				for _, m := range c.members {
					m.q.giveUp()
				}
				return true, c.first
			}
			// What the answer depends on is noted on a node of its own.
			at := &node{low: len(s.waiting), asked: m.asked[:0]}
			s.asking = append(s.asking, at)
			m.changed = m.q.again(round >= most/2)
			s.asking = s.asking[:len(s.asking)-1]
			if joined := s.waiting[c.first+len(c.members):]; len(joined) > 0 {
				c.members, more = append(c.members, joined...), true
			}
			if at.low < c.first {
				return false, at.low
			}
			m.asked = at.asked
		}
		if more { // all that join in a round join together, or n of them would begin n times anew
			return false, c.first
		}
		for _, m := range again {
			m.q.commit()
		}
		if !slices.ContainsFunc(c.members, func(m *node) bool { return m.changed }) {
			return true, c.first
		}
		again = c.touched()
	}
	for _, m := range c.members {
		if m.q.exact() {
			m.q.giveUp()
		}
	}
	return true, c.first
}
