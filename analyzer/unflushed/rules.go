package unflushed

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "unflushed/" + fixture})
}

// The rules of the check, beside those that say whether a file holds state.
var (
	lockOnFile = rule(verdict.For, "lock-on-file", "unlock",
		"the lock is one between processes, on the file or on one beside it",
		"principle: such a lock is for the file")
	openedUnder = rule(verdict.For, "opened-under-lock", "opened",
		"the lock was held when the file was opened",
		"principle: what is opened and written under a lock is what the lock is for")
	lockBeside = rule(verdict.For, "lock-beside", "unlock",
		"the lock is a field beside the writer, or a variable of the same package",
		"principle: a mutex guards what stands beside it")
	intoNothing = rule(verdict.For, "flushed-late", "closed",
		"the writer in front of the file is flushed behind the close, into nothing",
		"principle: what is closed takes no more bytes")
	doneWith = rule(verdict.For, "done-with", "sync",
		"the file is closed or moved to its place behind the flush, and not synced again",
		"a bug of nsqio/nsq@c154eba; fsync(2)")

	generated = rule(verdict.Forbids, "generated", "quiet",
		"a program wrote this source",
		"https://go.dev/s/generatedcode")
	lockedAgain = rule(verdict.Against, "locked-again", "quiet",
		"a lock for the file is held over the flush again: acquired after the unlock, or by the deferred call that writes",
		"principle: what is flushed under a lock is no longer without one")
	freshPlace = rule(verdict.Against, "fresh-place", "quiet",
		"the file stands in a place, or has a name, that nobody else knows",
		"os.CreateTemp, os.MkdirTemp")
	flushedBefore = rule(verdict.Against, "flushed-before", "quiet",
		"the writer is flushed before, too, behind what was written: nothing need be left in it",
		"principle: what was flushed is no longer in memory")
	nothingWritten = rule(verdict.Against, "nothing-written", "quiet",
		"nothing was written to the writer yet",
		"principle: an empty buffer has nothing to lose")
	syncedAgain = rule(verdict.Against, "synced-again", "quiet",
		"the file is synced again behind the flush, wherever nothing fails",
		"fsync(2)")
	handedOn = rule(verdict.Against, "handed-on", "quiet",
		"code that cannot be seen has the file or the writer, and may sync or flush it",
		"principle: an effect that cannot be resolved ends the reasoning")
)
