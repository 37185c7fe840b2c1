package page

import (
	"bytes"
	"slices"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"github.com/lockvet/lockvet/cmd/lockvet/internal/edit"
	"github.com/lockvet/lockvet/cmd/lockvet/internal/report"
	"github.com/lockvet/lockvet/internal/linediff"
	"github.com/lockvet/lockvet/internal/printable"
)

// A patch is what a fix does to one file.
type patch struct {
	File  string
	Hunks []hunk
}

// A hunk is a part of a file with its changes.
type hunk struct {
	Line   int
	Blocks []block
}

// A block is some lines before and after: the same where Same is set.
type block struct {
	Same     bool
	Old, New []line
}

// patches shows a fix, file by file in the order of its edits. A file that
// cannot be read, or is not the one that the edits were made for, is left out.
func patches(fix *report.Fix, file func(string) *text) []patch {
	names, edits := fix.Files()
	var all []patch
	for _, name := range names {
		before := file(name)
		if before == nil || slices.ContainsFunc(edits[name], func(e edit.Edit) bool {
			return e.Start > e.End || e.End > len(before.content)
		}) {
			continue
		}
		after := newText(edit.Made(before.content, edits[name]))
		if hunks := hunks(before, after); len(hunks) > 0 {
			all = append(all, patch{printable.Text(name), hunks})
		}
	}
	return all
}

// hunks are those of the unified diff of two texts.
func hunks(before, after *text) []hunk {
	var all []hunk
	for _, d := range textdiff.Hunks(string(before.content), string(after.content), textdiff.IndentHeuristic()) {
		h := hunk{Line: d.LineNoX + 1}
		old, fresh := d.LineNoX+1, d.LineNoY+1 // the next lines
		for _, l := range d.Edits {
			b := h.block(l.Op == diff.Match)
			if l.Op != diff.Insert {
				b.Old = append(b.Old, line{Number: old, Segments: before.segments(old, 0, 0, 0)})
				old++
			}
			if l.Op != diff.Delete {
				b.New = append(b.New, line{Number: fresh, Segments: after.segments(fresh, 0, 0, 0)})
				fresh++
			}
		}
		for _, b := range h.Blocks {
			b.markChanges(before, after)
		}
		all = append(all, h)
	}
	return all
}

// block is the last block of the hunk, a new one where that is of the other
// sort.
func (h *hunk) block(same bool) *block {
	if n := len(h.Blocks); n == 0 || h.Blocks[n-1].Same != same {
		h.Blocks = append(h.Blocks, block{Same: same})
	}
	return &h.Blocks[len(h.Blocks)-1]
}

// markChanges marks within each line what differs from the line that it stands
// for, where the lines can be paired and have something in common.
func (b *block) markChanges(before, after *text) {
	if b.Same || len(b.Old) != len(b.New) {
		return
	}
	for i := range b.Old {
		o, n := &b.Old[i], &b.New[i]
		oStart, oEnd := before.bounds(o.Number)
		nStart, nEnd := after.bounds(n.Number)
		x, y := before.content[oStart:oEnd], after.content[nStart:nEnd]
		if bytes.Equal(x, y) { // another end of the line
			continue
		}
		head, tail := linediff.Common(string(x), string(y))
		if len(bytes.TrimSpace(x[:head]))+tail == 0 {
			continue
		}
		o.Segments = before.segments(o.Number, 0, oStart+head, oEnd-tail)
		n.Segments = after.segments(n.Number, 0, nStart+head, nEnd-tail)
	}
}
