package effects

import (
	"slices"

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
}

// NewDefinitions indexes the effects of a function that put something into memory.
func NewDefinitions(f *Func) *Definitions {
	x := &Definitions{f: f, at: map[string][]int{}, within: map[string][]int{}, lists: map[string][]*Effect{}}
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
	for n := 0; n < len(from); n++ {
		if from[n].File() != nil {
			continue
		}
		rooted := memory.IsRooted(from[n].Term)
		for _, e := range x.putting(from[n].Term) {
			if e == at || at != nil && !x.before(e, at) {
				continue
			}
			for _, s := range e.From {
				if rooted {
					s.Reads = nil // it was put there before, and is read with that memory
				}
				from = memory.AddSource(from, s)
			}
		}
	}
	return slices.DeleteFunc(from, func(s memory.Source) bool { return s.Local != nil && s.Local.Parent() == x.f.SSA })
}

// before reports whether what e does can be done when at is met.
func (x *Definitions) before(e, at *Effect) bool {
	return e.At == at.At && e.Seq < at.Seq || Reaches(e, at)
}
