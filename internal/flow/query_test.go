package flow_test

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strconv"
	"testing"

	"github.com/lockvet/lockvet/internal/flow"
)

// reachSets is a query over a graph: the set of nodes that one leads to.
func reachSets(edges map[int][]int, b *flow.Budget) *flow.Query[int, []int] {
	var q *flow.Query[int, []int]
	q = (&flow.Query[int, []int]{
		Question: "reach",
		About:    func(k int) string { return fmt.Sprint(k) },
		Eval: func(k int) []int {
			set := map[int]bool{}
			for _, to := range edges[k] {
				set[to] = true
				for _, n := range q.Ask(to) {
					set[n] = true
				}
			}
			return slices.Sorted(maps.Keys(set))
		},
		Equal:  slices.Equal[[]int],
		Rounds: 1000,
	}).Bind(flow.NewSolver(b))
	return q
}

// closure is the same by a search from each node.
func closure(edges map[int][]int, from int) []int {
	seen := map[int]bool{}
	for todo := slices.Clone(edges[from]); len(todo) > 0; {
		n := todo[0]
		todo = todo[1:]
		if !seen[n] {
			seen[n] = true
			todo = append(todo, edges[n]...)
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Whatever the graph, and whichever question comes first, each answer is the least one.
func TestQueryOnRandomGraphs(t *testing.T) {
	for seed := range int64(500) {
		r := rand.New(rand.NewSource(seed))
		edges, n := map[int][]int{}, 1+r.Intn(12)
		for range r.Intn(3 * n) {
			from := r.Intn(n)
			edges[from] = append(edges[from], r.Intn(n))
		}
		b := flow.NewBudget(1 << 20)
		q := reachSets(edges, b)
		for _, k := range r.Perm(n) {
			if got, want := q.Ask(k), closure(edges, k); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %d leads to %v, want %v in %v", seed, k, got, want, edges)
			}
		}
		if len(b.GaveUp()) > 0 {
			t.Errorf("seed %d: gave up on %v", seed, b.GaveUp())
		}
	}
}

// Where the rounds do not suffice, the answers are wrong, but they are the same whichever
// question comes first, and the budget says so.
func TestQueryGivesUpTheSameWay(t *testing.T) {
	edges := map[int][]int{}
	for k := range 9 {
		edges[k] = []int{(k + 1) % 9}
	}
	var first map[int]string
	for start := range 9 {
		b := flow.NewBudget(1 << 20)
		q := reachSets(edges, b)
		q.Rounds = 3
		q.Ask(start)
		got := map[int]string{}
		for k := range 9 {
			got[k] = fmt.Sprint(q.Ask(k))
		}
		if first == nil {
			first = got
		}
		if !maps.Equal(got, first) {
			t.Errorf("asked for %d first: %v, want %v", start, got, first)
		}
		if len(b.GaveUp()) != 9 {
			t.Errorf("gave up on %v, want all of the cycle", b.GaveUp())
		}
	}
}

// A mix is a graph of questions whose answers neither grow nor settle for sure. Which
// others a question asks besides its edges depends on what these say.
type mix struct {
	edges  map[int][]int
	comps  map[int][]int // those that lead to each other, by member
	cut    map[int]bool
	rounds [2]int  // of the two queries that take the questions by turns
	equal  [2]bool // whether they can tell that nothing is new
}

func newMix(r *rand.Rand) *mix {
	n := 1 + r.Intn(10)
	m := &mix{map[int][]int{}, map[int][]int{}, map[int]bool{}, [2]int{1 + r.Intn(8), 1 + r.Intn(8)}, [2]bool{r.Intn(5) > 0, r.Intn(5) > 0}}
	for range r.Intn(3 * n) {
		from := r.Intn(n)
		m.edges[from] = append(m.edges[from], r.Intn(n))
	}
	for k := range n {
		m.cut[k] = r.Intn(6) == 0
		m.comps[k] = nil
		for o := range n {
			if slices.Contains(closure(m.edges, k), o) && slices.Contains(closure(m.edges, o), k) {
				m.comps[k] = append(m.comps[k], o)
			}
		}
	}
	return m
}

// eval answers a question by ask.
func (m *mix) eval(k int, ask func(int) int) int {
	v := k % 3
	for _, to := range m.edges[k] {
		v = max(v, ask(to)+(k+to)%2)
	}
	if c := m.comps[k]; len(c) > 0 && v%3 > 0 {
		v += ask(c[(v+k)%len(c)]) / 2
	}
	return v % 11
}

func (m *mix) start(k int) int { return k % 5 }

// naive answers all questions of each component in every round. It returns the answers,
// and those that it gave up.
func (m *mix) naive() (vals map[int]int, gaveUp []string) {
	vals = map[int]int{}
	var answer func(k int) int
	answer = func(k int) int {
		if v, ok := vals[k]; ok {
			return v
		}
		comp := m.comps[k]
		if len(comp) == 0 {
			vals[k] = m.eval(k, answer)
			return vals[k]
		}
		last, most, settles := map[int]int{}, 0, true
		for _, o := range comp {
			last[o] = m.start(o)
			most, settles = max(most, m.rounds[o%2]), settles && m.equal[o%2]
		}
		settled := false
		for range most {
			next := map[int]int{}
			for _, o := range comp {
				next[o] = m.eval(o, func(to int) int {
					switch v, ok := last[to]; {
					case !ok:
						return answer(to)
					case m.cut[to]:
						return m.start(to)
					default:
						return v
					}
				})
			}
			same := maps.Equal(last, next)
			if last = next; same && settles {
				settled = true
				break
			}
		}
		for o, v := range last {
			if vals[o] = v; !settled && m.equal[o%2] {
				gaveUp = append(gaveUp, strconv.Itoa(o))
			}
		}
		return vals[k]
	}
	for k := range m.comps {
		answer(k)
	}
	slices.Sort(gaveUp)
	return vals, gaveUp
}

// What a round passes over would be the same again: the answers are those of rounds that
// answer everything.
func TestQueryAnswersAgainWhatHasToBe(t *testing.T) {
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		m := newMix(r)
		want, gaveUp := m.naive()
		b := flow.NewBudget(1 << 20)
		s := flow.NewSolver(b)
		var turns [2]*flow.Query[int, int]
		ask := func(k int) int { return turns[k%2].Ask(k) }
		for i := range turns {
			turns[i] = (&flow.Query[int, int]{
				Question: "mix", About: strconv.Itoa, Rounds: m.rounds[i],
				Eval: func(k int) int { return m.eval(k, ask) }, Start: m.start, Cut: func(k int) bool { return m.cut[k] },
			}).Bind(s)
			if m.equal[i] {
				turns[i].Equal = func(a, b int) bool { return a == b }
			}
		}
		for _, k := range r.Perm(len(m.comps)) {
			if got := ask(k); got != want[k] {
				t.Fatalf("seed %d: %d is %d, want %d in %+v", seed, k, got, want[k], m)
			}
		}
		var got []string
		for _, g := range b.GaveUp() {
			got = append(got, g.Func)
		}
		if !slices.Equal(got, gaveUp) {
			t.Errorf("seed %d: gave up on %v, want %v in %+v", seed, got, gaveUp, m)
		}
	}
}

// Of a component a round answers those again that have asked what the round before has
// changed.
func TestQueryPassesOverWhatStands(t *testing.T) {
	const long = 100
	evals := 0
	var q *flow.Query[int, int]
	q = (&flow.Query[int, int]{
		Eval: func(k int) int {
			evals++
			if k == 0 {
				q.Ask(long) // which closes the ring
				return 1
			}
			return q.Ask(k-1) + 1
		},
		Equal:  func(a, b int) bool { return a == b },
		Rounds: 2 * long,
	}).Bind(flow.NewSolver(flow.NewBudget(1 << 20)))
	if got := q.Ask(long); got != long+1 {
		t.Errorf("%d at the end of the ring, want %d", got, long+1)
	}
	if most := (long + 1) * (long + 6) / 2; evals > most { // half of what all rounds would take that answer all
		t.Errorf("%d evaluations, want at most %d", evals, most)
	}
}

// A dependency that only a later round brings up joins the component, also where it
// leads to a question that is still open before it.
func TestQueryComponentGrows(t *testing.T) {
	for _, order := range [][]string{{"a", "b", "c", "d"}, {"d", "c", "b", "a"}, {"b", "a", "d", "c"}, {"c", "d", "a", "b"}} {
		var q *flow.Query[string, int]
		q = (&flow.Query[string, int]{
			Eval: func(k string) int {
				switch k {
				case "a":
					return min(9, q.Ask("b")+1)
				case "b":
					if n := q.Ask("c"); n > 3 {
						return max(n, q.Ask("d"))
					} else {
						return n
					}
				case "c":
					return min(9, q.Ask("b")+1)
				}
				return q.Ask("a")
			},
			Equal:  func(a, b int) bool { return a == b },
			Rounds: 100,
		}).Bind(flow.NewSolver(flow.NewBudget(1 << 20)))
		for _, k := range order {
			if got := q.Ask(k); got != 9 {
				t.Errorf("%v: %s is %d, want 9", order, k, got)
			}
		}
	}
}

func TestQueryEndsWithItsBudget(t *testing.T) {
	b := flow.NewBudget(100)
	var q *flow.Query[int, int]
	q = (&flow.Query[int, int]{
		Question: "count", About: func(int) string { return "f" },
		Eval: func(k int) int { return q.Ask(k+1) + 1 },
	}).Bind(flow.NewSolver(b))
	if got := q.Ask(0); got != 100 {
		t.Errorf("counted %d, want 100", got)
	}
	if got := b.GaveUp(); len(got) != 1 || got[0].Question != "count" || got[0].Func != "f" {
		t.Errorf("gave up on %v", got)
	}
}

// Where the steps end in the course of a round, all of the component is given up, also
// what its rounds only come near to.
func TestQueryEndsWithItsBudgetInARound(t *testing.T) {
	for _, equal := range []func(a, b int) bool{nil, func(a, b int) bool { return a == b }} {
		b := flow.NewBudget(8)
		var q *flow.Query[int, int]
		q = (&flow.Query[int, int]{
			Question: "count", About: strconv.Itoa,
			Eval: func(k int) int { return q.Ask((k+1)%3) + 1 }, Equal: equal, Rounds: 100,
		}).Bind(flow.NewSolver(b))
		q.Ask(0)
		if got := b.GaveUp(); len(got) != 3 || got[0].Steps != 9 {
			t.Errorf("gave up on %v, want all of the cycle", got)
		}
	}
}

func TestReachEndsWithItsBudget(t *testing.T) {
	b := flow.NewBudget(9)
	got := flow.Reach(b, func(k int) []int { return []int{k + 1} }, 0)
	if len(got) != 9 || len(b.GaveUp()) != 1 {
		t.Errorf("reached %v, gave up on %v", got, b.GaveUp())
	}
}

// An answer that is another one in every round has no end, unless the rounds are joined.
func TestQueryWidens(t *testing.T) {
	for _, c := range []struct {
		name   string
		widen  func(before, now string) string
		gaveUp int
	}{
		{"as it is", nil, 1},
		{"joined", func(before, now string) string {
			if before != "" {
				return before
			}
			return now
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := flow.NewBudget(1 << 20)
			var q *flow.Query[int, string]
			q = (&flow.Query[int, string]{
				Question: "flip",
				About:    strconv.Itoa,
				Eval: func(k int) string {
					if q.Ask(k) == "a" {
						return "b"
					}
					return "a"
				},
				Equal:  func(a, b string) bool { return a == b },
				Rounds: 16,
				Widen:  c.widen,
			}).Bind(flow.NewSolver(b))
			q.Ask(0)
			if got := len(b.GaveUp()); got != c.gaveUp {
				t.Errorf("gave up on %v, want %d", b.GaveUp(), c.gaveUp)
			}
		})
	}
}

// TestJoinTogether checks that questions which join a component in one round begin it anew once, and
// not once for each.
func TestJoinTogether(t *testing.T) {
	const n = 100
	b, again := flow.NewBudget(1<<20), map[int]bool{}
	q := &flow.Query[int, int]{Question: "ring", Equal: func(a, b int) bool { return a == b }, Rounds: 10}
	q.Eval = func(k int) int {
		if k >= n {
			return q.Ask(k - n)
		}
		q.Ask((k + 1) % n)
		if again[k] { // in the rounds
			q.Ask(n + k)
		}
		again[k] = true
		return 1
	}
	q.Bind(flow.NewSolver(b))
	if got := q.Ask(0); got != 1 || len(b.GaveUp()) > 0 {
		t.Errorf("got %d, gave up on %v", got, b.GaveUp())
	}
	if b.Steps() > 20*n {
		t.Errorf("took %d steps for a ring of %d questions", b.Steps(), n)
	}
}
