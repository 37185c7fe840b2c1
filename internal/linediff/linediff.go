// Package linediff compares texts line by line.
package linediff

import (
	"strings"
	"unicode/utf8"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// An Edit replaces the bytes from Start up to End of a text.
type Edit struct {
	Start, End int
	New        string
}

// Edits returns the edits that turn one text into another, in order. Each replaces whole lines.
func Edits(old, fresh string) []Edit {
	var edits []Edit
	at, line := 0, 0 // in old
	skip := func(n int) {
		for ; n > 0; n-- {
			at += strings.IndexByte(old[at:], '\n') + 1
		}
	}
	for _, h := range textdiff.Hunks(old, fresh, diff.Context(0), textdiff.IndentHeuristic()) {
		skip(h.LineNoX - line)
		e := Edit{Start: at, End: at}
		var added strings.Builder
		for _, l := range h.Edits {
			switch l.Op {
			case diff.Delete:
				e.End += len(l.Line)
			case diff.Insert:
				added.WriteString(l.Line)
			}
		}
		e.New = added.String()
		edits = append(edits, e)
		at, line = e.End, h.EndLineNoX
	}
	return edits
}

// Unified returns the unified diff of two texts, with some unchanged lines around each
// change; it is empty where they are the same.
func Unified(oldName, newName, old, fresh string, context int) string {
	hunks := textdiff.Unified(old, fresh, diff.Context(context), textdiff.IndentHeuristic())
	if hunks == "" {
		return ""
	}
	if old == "" { // of nothing the first line is none
		hunks = strings.Replace(hunks, "@@ -1,0", "@@ -0,0", 1)
	}
	if fresh == "" {
		hunks = strings.Replace(hunks, "+1,0 @@", "+0,0 @@", 1)
	}
	return "--- " + oldName + "\n+++ " + newName + "\n" + hunks
}

// Common returns how many bytes two texts have in common at their beginning, and how many
// of the rest at their end. Neither parts a character.
func Common(old, fresh string) (head, tail int) {
	for head < len(old) && head < len(fresh) && old[head] == fresh[head] {
		head++
	}
	for head > 0 && (inRune(old, head) || inRune(fresh, head)) {
		head--
	}
	for tail < len(old)-head && tail < len(fresh)-head && old[len(old)-1-tail] == fresh[len(fresh)-1-tail] {
		tail++
	}
	for tail > 0 && (inRune(old, len(old)-tail) || inRune(fresh, len(fresh)-tail)) {
		tail--
	}
	return head, tail
}

// inRune reports whether an offset stands within a character.
func inRune(text string, at int) bool {
	return at < len(text) && !utf8.RuneStart(text[at])
}
