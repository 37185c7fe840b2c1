package unflushed

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "unflushed/" + fixture})
}

// The rules of the check, beside those that say whether a file holds state.
var (
	lockOnFile = rule(verdict.For, "lock-on-file", "unlock",
		"the lock is one between processes, on the file or on a file beside it",
		"principle: such a lock is for the file")
	openedUnder = rule(verdict.For, "opened-under-lock", "opened",
		"the lock was held when the file was opened",
		"principle: what is opened and written under a lock is what the lock is for")
	lockBeside = rule(verdict.For, "lock-beside", "unlock",
		"the lock is a field beside the writer, or a variable of the same package",
		"principle: a mutex guards what stands beside it")
	intoNothing = rule(verdict.For, "flushed-late", "closed",
		"the buffered writer is flushed after the file is closed: its bytes are lost",
		"principle: what is closed takes no more bytes")
	doneWith = rule(verdict.For, "done-with", "sync",
		"the file is closed or renamed after the flush, and not synced again",
		"a bug of nsqio/nsq@c154eba; fsync(2)")

	lockedAgain = rule(verdict.Against, "locked-again", "quiet",
		"a lock for the file is held at the flush: it is acquired again after the unlock, or by the deferred call that writes",
		"principle: what is flushed under a lock is no longer without one")
	freshPlace = rule(verdict.Against, "fresh-place", "quiet",
		"no other process knows the directory or the name of the file",
		"os.CreateTemp, os.MkdirTemp")
	flushedBefore = rule(verdict.Against, "flushed-before", "quiet",
		"the writer is also flushed earlier, after the last write: its buffer may be empty",
		"principle: what was flushed is no longer in memory")
	nothingWritten = rule(verdict.Against, "nothing-written", "quiet",
		"nothing has been written to the buffered writer yet",
		"principle: an empty buffer has nothing to lose")
	syncedAgain = rule(verdict.Against, "synced-again", "quiet",
		"the file is synced again after the flush, on every path that succeeds",
		"fsync(2)")
	handedOn = rule(verdict.Against, "handed-on", "quiet",
		"code that lockvet cannot see has the file or the writer, and may sync or flush it",
		"principle: an effect that cannot be resolved ends the reasoning")
)
