package memory

import (
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A Restater puts what the effects of a callee derive from in terms of one call. It
// follows each argument once, however many effects speak of it.
type Restater struct {
	p      *Values
	args   []ssa.Value
	call   ssa.Instruction
	terms  []*pathexpr.Term // of the arguments
	paths  map[*pathexpr.Term]*pathexpr.Term
	places map[*pathexpr.Term]*pathexpr.Term
	first  followed // of none
}

// A followed is what a tracer has come to by way of some arguments, one after the other:
// what it has seen by way of one it does not look at again by way of the next.
type followed struct {
	arg    int // the last of them
	before *followed
	next   map[int]*followed
	steps  []step // by way of the last
	seen   map[ssa.Value]bool
	budget int
}

// A step of a tracer adds a source; or it is the beginning or the end of what is the
// value of a variable of the function around a literal.
type step struct {
	source     Source
	begin, end bool
}

// NewRestater is one for a call, with its arguments and their terms.
func (p *Values) NewRestater(args []ssa.Value, terms []*pathexpr.Term, call ssa.Instruction) *Restater {
	return &Restater{p: p, args: args, terms: terms, call: call, first: followed{arg: -1, budget: maxVisits}}
}

// Sources puts sources of the callee in terms of the call.
func (r *Restater) Sources(from []Source) []Source {
	if len(from) == 0 {
		return nil
	}
	t := &tracer{p: r.p, restates: r, at: &r.first}
	t.given(from, r.call, r.args)
	return t.list
}

// path is a term of the callee in terms of the caller.
func (r *Restater) path(of *pathexpr.Term) *pathexpr.Term {
	t, ok := r.paths[of]
	if !ok {
		t = Lower(of, r.terms)
		if r.paths == nil {
			r.paths = map[*pathexpr.Term]*pathexpr.Term{}
		}
		r.paths[of] = t
	}
	return t
}

// Memory is memory of the callee in terms of the caller.
func (r *Restater) Memory(m *pathexpr.Term) *pathexpr.Term {
	t, ok := r.places[m]
	if !ok {
		t = r.p.LowerMemory(m, r.args)
		if r.places == nil {
			r.places = map[*pathexpr.Term]*pathexpr.Term{}
		}
		r.places[m] = t
	}
	return t
}

// follow adds to the list of a tracer what one of the arguments derives from.
func (r *Restater) follow(t *tracer, arg int) {
	for f := t.at; f != nil; f = f.before {
		if f.arg == arg {
			return // it has been seen
		}
	}
	next := t.at.next[arg]
	if next == nil {
		next = r.followed(t.at, arg)
	}
	t.at = next
	var begins []int
	for _, s := range next.steps {
		switch {
		case s.begin:
			begins = append(begins, len(t.list))
		case s.end:
			t.lift(begins[len(begins)-1])
			begins = begins[:len(begins)-1]
		default:
			t.add(s.source)
		}
	}
}

// followed goes on behind others by way of one argument more.
func (r *Restater) followed(from *followed, arg int) *followed {
	next := &followed{arg: arg, before: from}
	t := &tracer{p: r.p, seen: maps.Clone(from.seen), budget: from.budget, steps: &next.steps}
	if t.seen == nil {
		t.seen = map[ssa.Value]bool{}
	}
	t.using(r.call, r.args[arg])
	next.seen, next.budget = t.seen, t.budget
	if from.next == nil {
		from.next = map[int]*followed{}
	}
	from.next[arg] = next
	return next
}
