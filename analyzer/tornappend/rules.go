package tornappend

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "tornappend/" + fixture})
}

// The rules of the check, beside those that say whether a file holds state.
var (
	inPieces = rule(verdict.For, "pieces", "split",
		"a write goes on with the line that the one before has begun",
		"O_APPEND of open(2): only a single write stays together")
	bufferCuts = rule(verdict.For, "buffer", "buffered",
		"records go through a buffered writer, which writes when its buffer is full and not where a record ends",
		"bufio.Writer; O_APPEND of open(2)")
	encodedRecord = rule(verdict.For, "encoded-line", "library",
		"the output of an encoder and a newline behind it are appended: who reads such a file decodes it line by line",
		"journals of JSON lines")
	escapes = rule(verdict.Against, "escapes", "quiet",
		"the open file is given to code that is not seen",
		"principle: an effect that cannot be resolved ends the reasoning")
	emptied = rule(verdict.Against, "emptied", "quiet",
		"the file is truncated through the same handle: it is replaced and not extended",
		"principle")
	oneWrite = rule(verdict.Against, "one-write", "quiet",
		"one write alone goes through an empty buffer, which passes it on in one piece",
		"bufio.Writer")
	staysOpen = rule(verdict.Against, "stays-open", "quiet",
		"the file stays open when the function returns: when its buffer is written is decided elsewhere",
		"principle: an effect that cannot be resolved ends the reasoning")
	copiedPart = rule(verdict.Against, "copied", "quiet",
		"a piece is the content of another file, which is no record of this one",
		"principle")
	ownName = rule(verdict.Forbids, "own-name", "quiet",
		"the name has the number of the process in it: no other process appends to this file",
		"principle")
	madeHere = rule(verdict.Against, "made-here", "quiet",
		"the function that opens the file makes, empties or removes it before, or its directory: nobody else appends to it",
		"files that are put together by one function")
	movedAfter = rule(verdict.Against, "moved-after", "quiet",
		"the function does not end well without moving the file to another name: readers meet it whole",
		"rename(2)")
	openedLocked = rule(verdict.Against, "opened-locked", "quiet",
		"the function that opens the file acquires a lock between processes for it, and holds it",
		"flock(2)")
	nameless = rule(verdict.Against, "nameless", "quiet",
		"no part of the path is known: a report could not say which file it is",
		"principle: an effect that cannot be resolved ends the reasoning")
	relative = rule(verdict.Against, "relative", "library",
		"the path is a constant relative to wherever the program is started: a tool that is run by hand",
		"principle")
	callersKnow = rule(verdict.Against, "callers-know", "library",
		"nothing but its form says that the line is a record, and a function that calls this one knows more of the file",
		"principle: only the callers of a helper know the file")
	lockHeld = rule(verdict.Against, "locked", "quiet",
		"however the record is reached, a lock between processes for the file is held over all its pieces",
		"flock(2)")
	callersHold = rule(verdict.Against, "callers-locked", "quiet",
		"the file stays open, and a function that calls this one has a lock between processes there",
		"stores that lock once and append through a field")
	generated = rule(verdict.Forbids, "generated", "quiet",
		"a program wrote this source",
		"https://go.dev/s/generatedcode")
)
