package pathexpr

import (
	"path"
	"slices"
	"strings"
)

// Apart reports whether two paths that are spelled begin in different places: in what
// is not spelled, they may be in the same.
func Apart(a, b *Term) bool {
	a, b = begin(a), begin(b)
	return a != nil && b != nil && a.Key() != b.Key()
}

// begin is the directory with which a path begins that says by its text which file there it
// is; nil for any other, and where a call says which directory it is.
func begin(t *Term) *Term {
	t = t.Expanded().Path()
	switch {
	case t.Kind == Const:
		return New(Const, path.Dir(t.Text))
	case t.Kind != Join || t.Last().Kind != Const:
		return nil
	}
	switch first := t.Args[0]; first.Kind {
	case Const, Param, Field:
		return first
	}
	return nil
}

// OfOthers reports whether two paths of one function are made of different texts that it is given: for
// all that it knows, they are of two files, in whichever directory each is.
func OfOthers(a, b *Term) bool { return !slices.Equal(a.plainParams(), b.plainParams()) }

// plainParams are the parameters in a term that are no objects, each once and in order.
func (t *Term) plainParams() []int {
	var list []int
	t.Any(func(x *Term) bool {
		if x.Kind == Param && x.Type == "" {
			list = append(list, x.Index)
		}
		return false
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// Namesakes reports whether two paths end in one name, which both spell, and nothing says that their
// directories are two.
func Namesakes(a, b *Term) bool {
	name := a.Path().Last()
	if name == nil || name.Kind != Const || !name.Equal(b.Path().Last()) {
		return false
	}
	in, other := a.Dir().PackageKey(), b.Dir().PackageKey()
	return in == "" || other == "" || in == other
}

// Before is what a text begins with, up to the first separator that is written out; nil where none is.
func (t *Term) Before(sep string) *Term {
	switch t.Kind {
	case Const:
		if before, _, found := strings.Cut(t.Text, sep); found {
			return New(Const, before)
		}
	case Join, Concat:
		for i, part := range t.Args {
			if before := part.Before(sep); before != nil {
				return New(t.Kind, "", append(slices.Clone(t.Args[:i]), before)...)
			}
		}
	}
	return nil
}
