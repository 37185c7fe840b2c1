package tornappend

import (
	"slices"

	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// records finds the lines that are written in pieces: runs of writes of which each
// continues the line of the one before, up to the one that ends it. The content of another
// file begins a line only where copies count.
func (c *checker) records(ws []*effects.Effect, copies bool) [][]*effects.Effect {
	var list [][]*effects.Effect
	used := map[*effects.Effect]bool{}
	for _, w := range ws {
		if used[w] {
			continue
		}
		pieces := []*effects.Effect{w}
		for next := c.next(ws, w); next != nil && !used[next] && continues(pieces[len(pieces)-1], next, copies); next = c.next(ws, next) {
			pieces = append(pieces, next)
		}
		if last := pieces[len(pieces)-1]; len(pieces) == 1 || last.Line != memory.LineBreak && last.Line != memory.LineWhole {
			continue
		}
		for _, p := range pieces {
			used[p] = true
		}
		list = append(list, pieces)
	}
	return list
}

// continues reports whether b writes on the line that a has begun.
func continues(a, b *effects.Effect, copies bool) bool {
	switch a.Line {
	case memory.LinePart:
		return true
	case memory.LineUnknown:
		return b.Line == memory.LineBreak && (copies || !copied(a))
	}
	return false
}

// copied reports whether a write takes over the content of another file.
func copied(w *effects.Effect) bool { return w.Data != nil && w.Data.Kind == pathexpr.Content }

// next is the write that comes first behind a, wherever a leads to it.
func (c *checker) next(ws []*effects.Effect, a *effects.Effect) *effects.Effect {
	var next *effects.Effect
	for _, b := range ws {
		if c.before(a, b) && (next == nil || c.before(b, next)) {
			next = b
		}
	}
	return next
}

// before reports whether a has been written whenever b is. Within one call that
// leads to both, the function that has them tells.
func (c *checker) before(a, b *effects.Effect) bool {
	if a.In != b.In {
		return !effects.OneCall(a, b) && effects.Before(a, b)
	}
	f := c.p.Of(a.In)
	if f == nil {
		return false
	}
	own := func(w *effects.Effect) *effects.Effect {
		i := slices.IndexFunc(f.Effects, func(e *effects.Effect) bool { return e.Kind == w.Kind && e.Call == w.Call && len(e.Via) == 0 })
		if i < 0 {
			return nil
		}
		return f.Effects[i]
	}
	oa, ob := own(a), own(b)
	return oa != nil && ob != nil && slices.Equal(a.Via, b.Via) && effects.Before(oa, ob)
}

func variant(pieces []*effects.Effect) string {
	if len(pieces) == 2 && pieces[1].Line == memory.LineBreak {
		return "separator"
	}
	return "split"
}

// cuts reports whether a buffered writer may cut a record: more than one write
// goes through it, or one of something that makes its own. One write alone passes
// an empty buffer in one piece.
func cuts(p *effects.Package, open *effects.Effect, ws []*effects.Effect) bool {
	w := ws[0]
	return len(ws) > 1 || repeats(p, open, w) || w.Handle.Kind != pathexpr.Wrap || len(w.Handle.Args) == 0 ||
		w.Handle.Text != "bufio" || w.Data != nil && w.Data.Kind == pathexpr.Content
}
