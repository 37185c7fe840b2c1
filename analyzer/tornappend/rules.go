package tornappend

import "github.com/lockvet/lockvet/internal/verdict"

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
	encodedRecord = rule(verdict.For, "encoded-line", "library",
		"the output of an encoder and a newline are appended: a reader of such a file decodes it line by line",
		"journals of JSON lines")
	escapes = rule(verdict.Against, "escapes", "quiet",
		"the open file is passed to code that lockvet cannot see",
		"principle: an effect that cannot be resolved ends the reasoning")
	emptied = rule(verdict.Against, "emptied", "quiet",
		"the file is truncated through the same handle: it is replaced and not extended",
		"principle")
	oneWrite = rule(verdict.Against, "one-write", "quiet",
		"a single write goes through an empty buffer, which passes it on in one piece",
		"bufio.Writer")
	oneRecord = rule(verdict.Lowers, "one-record", "buffered",
		"no write to the buffer is in a loop: it holds one record, which is cut only where it is longer than the buffer",
		"false to a reader: usage records of SamSaffron/term-llm; principle: 4096 bytes of bufio.Writer")
	staysOpen = rule(verdict.Against, "stays-open", "quiet",
		"the file stays open when the function returns: other code decides when the buffer is written",
		"principle: an effect that cannot be resolved ends the reasoning")
	copiedPart = rule(verdict.Against, "copied", "quiet",
		"one piece is the content of another file, not a record of this one",
		"principle")
	ownName = rule(verdict.Forbids, "own-name", "quiet",
		"the name has the number of the process in it: no other process appends to this file",
		"principle")
	madeHere = rule(verdict.Against, "made-here", "quiet",
		"the function that opens the file creates, truncates or removes it before, or creates its directory: no other process appends to it",
		"files that are put together by one function")
	movedAfter = rule(verdict.Against, "moved-after", "quiet",
		"on every path that succeeds, the function renames the file afterwards: readers see it whole",
		"rename(2)")
	openedLocked = rule(verdict.Against, "opened-locked", "quiet",
		"the function that opens the file acquires a lock between processes for it, and holds it",
		"flock(2)")
	nameless = rule(verdict.Against, "nameless", "quiet",
		"no part of the path is known: a report could not name the file",
		"principle: an effect that cannot be resolved ends the reasoning")
	relative = rule(verdict.Against, "relative", "library",
		"the path is a constant relative to wherever the program is started: a tool that is run by hand",
		"principle")
	callersKnow = rule(verdict.Against, "callers-know", "library",
		"only its form says that the line is a record, and a caller of this function knows more about the file",
		"principle: only the callers of a helper know the file")
	lockHeld = rule(verdict.Against, "locked", "quiet",
		"on every path, a lock between processes for the file is held while all pieces are written",
		"flock(2)")
	callersHold = rule(verdict.Against, "callers-locked", "quiet",
		"the file stays open, and a caller of this function holds a lock between processes",
		"stores that lock once and append through a field")
)
