package effects

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// Definitions say which effects of a function have put something into a piece of
// memory. It is of no use once the function's effects are others.
type Definitions struct {
	f *Func
	// The effects that put something into memory, as indexes into those of f in
	// their order: by the key of the memory itself, and by the keys of that and of all
	// that it is a field of. What is written into a buffer has the buffer's key alone.
	at, within map[string][]int
	lists      map[string][]*Effect // see putting

	// Sources have numbers, so that one is put into a list once, however many effects
	// have it: those by the term itself, and by what it names.
	terms   map[sourceTerm]int32
	sources map[sourceKey]int32
	numbers map[*Effect]numbered
	met     []meeting // by number
	round   int32
}

// A meeting is the list that last had a source, and where: -1 where there was no room.
type meeting struct{ round, at int32 }

type sourceTerm struct {
	at   ssa.Instruction
	term *pathexpr.Term
}

type sourceKey struct {
	at  ssa.Instruction
	key string
}

// A numbered list holds the sources of an effect as they were, and their numbers.
type numbered struct {
	of  []memory.Source
	ids []int32
}

// NewDefinitions indexes the effects of a function that put something into memory.
func NewDefinitions(f *Func) *Definitions {
	x := &Definitions{f: f, at: map[string][]int{}, within: map[string][]int{}, lists: map[string][]*Effect{},
		terms: map[sourceTerm]int32{}, sources: map[sourceKey]int32{}, numbers: map[*Effect]numbered{}}
	for i, e := range f.Effects {
		switch {
		case e.Kind == StoreLoaded:
			x.at[e.Target.Key()] = append(x.at[e.Target.Key()], i)
			for whole := range wholes(e.Target) {
				x.within[whole.Key()] = append(x.within[whole.Key()], i)
			}
		case e.Kind == Write && e.Handle != nil && e.Handle.File().Kind == pathexpr.Unknown:
			buffer := e.Handle.File().Key()
			x.within[buffer] = append(x.within[buffer], i)
		}
	}
	return x
}

// wholes yields a piece of memory and all that it is a field of.
func wholes(m *pathexpr.Term) func(yield func(*pathexpr.Term) bool) {
	return func(yield func(*pathexpr.Term) bool) {
		for yield(m) && m.Kind == pathexpr.Field {
			m = m.Args[0]
		}
	}
}

// putting lists, in their order, the effects that change the memory m, or a part of
// it, or what it is a part of.
func (x *Definitions) putting(m *pathexpr.Term) []*Effect {
	effects, ok := x.lists[m.Key()]
	if !ok {
		effects = x.list(m)
		x.lists[m.Key()] = effects
	}
	return effects
}

func (x *Definitions) list(m *pathexpr.Term) []*Effect {
	var list []int
	for whole := range wholes(m) {
		if whole == m {
			list = append(list, x.within[m.Key()]...)
		} else {
			list = append(list, x.at[whole.Key()]...)
		}
	}
	slices.Sort(list)
	var effects []*Effect
	for _, i := range slices.Compact(list) {
		effects = append(effects, x.f.Effects[i])
	}
	return effects
}

// Reaching adds to the memory among the sources what the function has put into it
// before at, or before its end where at is nil, and drops memory that only the
// function knows.
func (x *Definitions) Reaching(from []memory.Source, at *Effect) []memory.Source {
	x.round++
	for i, s := range from {
		if id := x.number(s); x.met[id].round != x.round {
			x.met[id] = meeting{x.round, int32(i)}
		}
	}
	for n := 0; n < len(from); n++ {
		if from[n].File() != nil {
			continue
		}
		rooted := memory.IsRooted(from[n].Term)
		for _, e := range x.putting(from[n].Term) {
			if len(e.From) == 0 || e == at {
				continue
			}
			ids, looked := x.numbersOf(e), at == nil
			for i, s := range e.From {
				if rooted {
					s.Reads = nil // it was put there before, and is read with that memory
				}
				m := x.met[ids[i]]
				met := m.round == x.round
				if met && (len(s.Reads) == 0 || m.at < 0) {
					continue // nothing comes of it
				}
				if !looked && !x.before(e, at) {
					break
				}
				looked = true
				if met {
					from[m.at].ReadBy(s.Reads)
					continue
				}
				m = meeting{x.round, -1}
				n := len(from)
				if from = memory.AddSource(from, s); len(from) > n {
					m.at = int32(n)
				}
				x.met[ids[i]] = m
			}
		}
	}
	return slices.DeleteFunc(from, func(s memory.Source) bool { return s.Local != nil && s.Local.Parent() == x.f.SSA })
}

// numbersOf are the numbers of the sources of an effect, as they are now.
func (x *Definitions) numbersOf(e *Effect) []int32 {
	n := x.numbers[e]
	if len(n.of) == len(e.From) && &n.of[0] == &e.From[0] {
		return n.ids
	}
	n = numbered{e.From, make([]int32, len(e.From))}
	for i, s := range e.From {
		n.ids[i] = x.number(s)
	}
	x.numbers[e] = n
	return n.ids
}

// number is the number of a source: of those that are one in a list, see
// [memory.AddSource].
func (x *Definitions) number(s memory.Source) int32 {
	term := sourceTerm{s.At, s.Term}
	id, ok := x.terms[term]
	if ok {
		return id
	}
	key := sourceKey{s.At, s.Term.Key()}
	if id, ok = x.sources[key]; !ok {
		id = int32(len(x.met))
		x.met = append(x.met, meeting{})
		x.sources[key] = id
	}
	x.terms[term] = id
	return id
}

// before reports whether what e does can be done when at is met.
func (x *Definitions) before(e, at *Effect) bool {
	return e.At == at.At && e.Seq < at.Seq || Reaches(e, at)
}
