// Package edit changes the text of a Go file and keeps everything about the
// text that was not asked to change: line endings, byte order mark, final
// newline and formatting. It knows nothing of why a file is changed.
package edit

import (
	"cmp"
	"slices"
	"strings"
)

// An Edit replaces the bytes from Start up to End by New.
type Edit struct {
	Start, End int
	New        string
}

// A Fix is the edits, by file, that make one change together.
type Fix map[string][]Edit

// A Plan is a set of fixes that do not get in each other's way.
type Plan struct {
	edits map[string][]Edit
}

// Add puts a fix into the plan unless one of its edits overlaps another fix's.
// An edit that is already in the plan, such as the import that two fixes need,
// is no overlap: it is made once.
func (p *Plan) Add(fix Fix) bool {
	fresh := make(Fix)
	for name, edits := range fix {
		for _, e := range edits {
			switch {
			case slices.Contains(p.edits[name], e):
			case slices.ContainsFunc(p.edits[name], e.touches):
				return false
			default:
				fresh[name] = append(fresh[name], e)
			}
		}
	}
	if p.edits == nil {
		p.edits = make(map[string][]Edit)
	}
	for name, edits := range fresh {
		p.edits[name] = append(p.edits[name], edits...)
	}
	return true
}

// touches reports whether the order in which two edits are made could matter.
func (e Edit) touches(f Edit) bool {
	if e.Start == e.End || f.Start == f.End {
		return e.Start <= f.End && f.Start <= e.End
	}
	return e.Start < f.End && f.Start < e.End
}

// Files returns the edits of the plan by file.
func (p *Plan) Files() map[string][]Edit { return p.edits }

// Apply makes the edits in src, which it leaves alone. Edits at one place are
// made in the order given.
func Apply(src []byte, edits []Edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	var out strings.Builder
	last := 0
	for _, e := range edits {
		out.Write(src[last:e.Start])
		out.WriteString(e.New)
		last = e.End
	}
	out.Write(src[last:])
	return []byte(out.String())
}
