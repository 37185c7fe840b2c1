package state

import (
	"go/token"
	"iter"
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
)

// A Context is what a check notes of one place as one function sees it: the
// function that the place is in, or one that leads to it and knows more.
type Context interface {
	// Root is the function.
	Root() *effects.Func
}

// Contexts are what a check notes of the places of a package, place by place in
// the order in which they were met. The zero value is empty.
type Contexts[C Context] struct {
	order []token.Pos
	at    map[token.Pos][]C
}

// Add notes a context of the place.
func (cs *Contexts[C]) Add(place token.Pos, k C) {
	if cs.at == nil {
		cs.at = map[token.Pos][]C{}
	}
	if cs.at[place] == nil {
		cs.order = append(cs.order, place)
	}
	cs.at[place] = append(cs.at[place], k)
}

// Places yields the contexts of each place.
func (cs *Contexts[C]) Places() iter.Seq[[]C] {
	return func(yield func([]C) bool) {
		for _, place := range cs.order {
			if !yield(cs.at[place]) {
				return
			}
		}
	}
}

// Everywhere reports whether something holds in all contexts of a place that no
// other one leads to: so it does however the place is reached.
func Everywhere[C Context](ks []C, holds func(C) bool) bool {
	return !slices.ContainsFunc(Outermost(ks), func(k C) bool { return !holds(k) })
}

// Outermost are the contexts of a place that no other one leads to: where programs come to the place
// by some, without those of functions that nothing but tests can call.
func Outermost[C Context](ks []C) []C {
	inner := Inner(ks)
	list := slices.DeleteFunc(slices.Clone(ks), func(k C) bool { return inner[k.Root()] })
	unused := func(k C) bool { return k.Root().Unused }
	if slices.ContainsFunc(list, func(k C) bool { return !unused(k) }) {
		list = slices.DeleteFunc(list, unused)
	}
	return list
}

// Inner are the functions of contexts of a place that another one leads to, and that do not lead
// back to it.
func Inner[C Context](ks []C) map[*effects.Func]bool {
	roots, inner := Roots(ks), map[*effects.Func]bool{}
	for f := range roots {
		if len(f.CallersAmong(roots)) > 0 {
			inner[f] = true
		}
	}
	return inner
}

// Roots are the functions of contexts.
func Roots[C Context](ks []C) map[*effects.Func]bool {
	roots := map[*effects.Func]bool{}
	for _, k := range ks {
		roots[k.Root()] = true
	}
	return roots
}
