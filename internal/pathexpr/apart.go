package pathexpr

import "path"

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
