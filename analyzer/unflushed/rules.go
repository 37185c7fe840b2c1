package unflushed

import (
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/verdict"
)

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "unflushed/" + fixture})
}

// The rules of the check, beside those that say whether a file holds state.
var (
	lockForFile = rule(verdict.For, "lock-for-file", "unlock",
		"the lock is one between processes for the file, a field or variable beside the writer, or was held when the file was opened",
		"principle: a lock is for what stands beside it, and for what is opened and written under it")

	lockedAgain = rule(verdict.Against, "locked-again", "quiet",
		"a lock for the file is held at the flush: it is acquired again after the unlock, or by the deferred call that writes",
		"principle: a lock at the flush protects what is flushed")
	freshPlace    = excludes.FreshPlace
	flushedBefore = rule(verdict.Against, "flushed-before", "quiet",
		"the writer is also flushed earlier, after the last write: its buffer may be empty",
		"principle: what was flushed is no longer in memory")
)
