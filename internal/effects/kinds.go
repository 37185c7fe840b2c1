package effects

import "slices"

// A kindSet is a set of kinds.
type kindSet [4]uint64

func (s *kindSet) add(k Kind) { s[k/64] |= 1 << (k % 64) }

func (s *kindSet) has(k Kind) bool { return s[k/64]&(1<<(k%64)) != 0 }

// A sublist are the effects of a function of some kinds.
type sublist struct {
	kinds kindSet
	list  []*Effect
}

// OfKind lists the effects of the function that are of one of the kinds, in their order.
// A list is made once: in a large package, functions have thousands of effects, and most
// questions are about the few of a kind or two. Nobody may change it, nor Effects later.
func (f *Func) OfKind(kinds ...Kind) []*Effect {
	var s kindSet
	for _, k := range kinds {
		s.add(k)
	}
	for i := range f.sublists {
		if f.sublists[i].kinds == s {
			return f.sublists[i].list
		}
	}
	var list []*Effect
	for _, e := range f.Effects {
		if s.has(e.Kind) {
			list = append(list, e)
		}
	}
	f.sublists = append(f.sublists, sublist{s, slices.Clip(list)})
	return list
}
