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
		"the lock is one between processes for the file, or a field beside the writer",
		"principle: a lock is for what stands beside it")

	lockedAgain = rule(verdict.Against, "locked-again", "quiet",
		"a lock is acquired again between the unlock and the flush",
		"principle: a lock at the flush protects what is flushed")
	freshPlace    = excludes.FreshPlace
	flushedBefore = rule(verdict.Against, "flushed-before", "quiet",
		"the writer is also flushed under the lock: its buffer may be empty",
		"principle: what was flushed is no longer in memory")
)
