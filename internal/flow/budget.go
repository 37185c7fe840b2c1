package flow

import (
	"cmp"
	"slices"
)

// Limit is the number of steps that the analysis of one package may take: some twenty
// times what the largest package of a thousand that were measured needs.
const Limit = 400_000_000

// A Budget counts the steps that the analysis of one package takes. Steps, and not
// seconds, so that the findings do not depend on the machine. The zero value has no
// steps to spend.
type Budget struct {
	limit, steps int
	hits         []GaveUp
	noted        map[[2]string]bool // by question and function
}

// A GaveUp is a question that was not answered for lack of steps, or because the answer
// grew beyond its bound.
type GaveUp struct {
	Question string // "effects", "lock state"
	Func     string // the function that it was about, empty where it was about none
	Steps    int    // that the package had taken by then
	Bound    Bound
}

// A Bound is what ends an analysis that would else not end, or not in time.
type Bound string

// The bounds: the steps of a package, the rounds of questions that depend on each other, and the
// size of an answer.
const (
	Steps  Bound = "steps"
	Rounds Bound = "rounds"
	Size   Bound = "size"
)

// NewBudget makes a budget of so many steps.
func NewBudget(limit int) *Budget { return &Budget{limit: limit} }

// Spend takes n steps, and reports whether they were left.
func (b *Budget) Spend(n int) bool {
	b.steps += n
	return b.steps <= b.limit
}

// Ended reports whether more steps were asked for than there are, so that what was
// answered since may be wrong.
func (b *Budget) Ended() bool { return b.steps > b.limit }

// Steps are those taken so far.
func (b *Budget) Steps() int { return b.steps }

// GiveUp notes that a question about a function is not answered, because of a bound, or of the steps
// where those have ended. What was noted once is not noted again.
func (b *Budget) GiveUp(question, fn string, by Bound) {
	if b.Ended() {
		by = Steps
	}
	if b.noted[[2]string{question, fn}] {
		return
	}
	if b.noted == nil {
		b.noted = map[[2]string]bool{}
	}
	b.noted[[2]string{question, fn}] = true
	b.hits = append(b.hits, GaveUp{question, fn, b.steps, by})
}

// GaveUp lists what was not answered, by function and question.
func (b *Budget) GaveUp() []GaveUp { return slices.SortedFunc(slices.Values(b.hits), GaveUp.Compare) }

// Compare orders what was given up by function, then by question.
func (g GaveUp) Compare(o GaveUp) int {
	return cmp.Or(cmp.Compare(g.Func, o.Func), cmp.Compare(g.Question, o.Question))
}
