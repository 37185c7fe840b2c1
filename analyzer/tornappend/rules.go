package tornappend

import (
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/verdict"
)

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "tornappend/" + fixture})
}

// The rules of the check, beside those that say whether a file holds state.
var (
	inPieces = rule(verdict.For, "pieces", "split",
		"a write continues the line that the previous write has begun",
		"O_APPEND of open(2): only a single write stays together")
	bufferCuts = rule(verdict.For, "buffer", "buffered",
		"records go through a buffered writer, which writes when its buffer is full and not where a record ends",
		"bufio.Writer; O_APPEND of open(2)")

	escapes = excludes.HandedOn
	ownFile = rule(verdict.Against, "own-file", "quiet",
		"the function creates, truncates, removes or renames the file, or creates its directory: nobody else appends to it",
		"rename(2); files that are put together by one function")
	oneWrite = rule(verdict.Against, "one-write", "quiet",
		"a single write goes through an empty buffer, which passes it on in one piece",
		"bufio.Writer")
	ownName  = excludes.OwnName
	lockHeld = excludes.Locked
)
