package effects

import (
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/pathexpr"
)

// A restater puts what the effects of a callee derive from in terms of one call. It
// follows each argument once, however many effects speak of it.
type restater struct {
	p      *Package
	args   []ssa.Value
	call   ssa.Instruction
	terms  []*pathexpr.Term // of the arguments
	paths  map[*pathexpr.Term]*pathexpr.Term
	memory map[*pathexpr.Term]*pathexpr.Term
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

func (p *Package) restater(args []ssa.Value, terms []*pathexpr.Term, call ssa.Instruction) *restater {
	return &restater{p: p, args: args, terms: terms, call: call, first: followed{arg: -1, budget: maxVisits}}
}

// data puts what an effect's data derive from in terms of the call.
func (r *restater) data(e *Effect) {
	e.From = r.sources(e.From)
	if e.Kind == Fill {
		e.Target = r.memoryOf(e.Target)
	}
	if e.Object != nil {
		e.Object = r.memoryOf(e.Object)
	}
}

func (r *restater) sources(from []Source) []Source {
	if len(from) == 0 {
		return nil
	}
	t := &tracer{p: r.p, restates: r, at: &r.first}
	t.given(from, r.call, r.args)
	return t.list
}

// path is a term of the callee in terms of the caller.
func (r *restater) path(of *pathexpr.Term) *pathexpr.Term {
	t, ok := r.paths[of]
	if !ok {
		t = lower(of, r.terms)
		if r.paths == nil {
			r.paths = map[*pathexpr.Term]*pathexpr.Term{}
		}
		r.paths[of] = t
	}
	return t
}

// memoryOf is memory of the callee in terms of the caller.
func (r *restater) memoryOf(m *pathexpr.Term) *pathexpr.Term {
	t, ok := r.memory[m]
	if !ok {
		t = r.p.lowerMemory(m, r.args)
		if r.memory == nil {
			r.memory = map[*pathexpr.Term]*pathexpr.Term{}
		}
		r.memory[m] = t
	}
	return t
}

// follow adds to the list of a tracer what one of the arguments derives from.
func (r *restater) follow(t *tracer, arg int) {
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
func (r *restater) followed(from *followed, arg int) *followed {
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
