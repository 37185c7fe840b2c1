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
