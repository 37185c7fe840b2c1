package tornappend

import (
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/memory"
	"github.com/lockvet/lockvet/internal/pathexpr"
)

// records finds the lines that are written in pieces: runs of writes of which each
// continues the line of the one before, up to the one that ends it.
func records(ws []*effects.Effect) [][]*effects.Effect {
	var list [][]*effects.Effect
	used := map[*effects.Effect]bool{}
	for i, w := range ws {
		if used[w] {
			continue
		}
		pieces, last := []*effects.Effect{w}, w
		for _, next := range ws[i+1:] { // what dominates comes first
			if !effects.Before(last, next) {
				continue
			}
			if used[next] || !continues(last, next) {
				break
			}
			pieces, last = append(pieces, next), next
		}
		if len(pieces) == 1 || last.Line != memory.LineBreak && last.Line != memory.LineWhole {
			continue
		}
		for _, p := range pieces {
			used[p] = true
		}
		list = append(list, pieces)
	}
	return list
}

// continues reports whether b writes on the line that a has begun. The content of another
// file begins none.
func continues(a, b *effects.Effect) bool {
	copied := a.Data != nil && a.Data.Kind == pathexpr.Content
	return a.Line == memory.LinePart || a.Line == memory.LineUnknown && b.Line == memory.LineBreak && !copied
}

// cuts reports whether a buffered writer may cut a record: more than one write
// goes through it, or one of something that makes its own. One write alone passes
// an empty buffer in one piece.
func (k *candidate) cuts() bool {
	w := k.pieces[0]
	return len(k.pieces) > 1 || w.At != k.open.At && w.ReachesWithout(w, k.open) || w.Handle.Text != "bufio"
}
