package earlyrelease

import (
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/verdict"
)

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "earlyrelease/" + fixture})
}

// The rules that speak for a release that comes too early.
var (
	lockName = rule(verdict.For, "lock-name", "unlink",
		"the removed file is locked, and its name is that of a lock file",
		"bugs of steveyegge/gastown@4184029 and steveyegge/beads@175bc23; flock(2): the lock is on the file and not on its name")
	endsWithLock = rule(verdict.For, "ends-with-lock", "unlink",
		"the code that acquires the lock creates the file, and the code that releases it removes the file: it is a lock file",
		"bugs of cashapp/hermit@f25714e and bnema/gordon@48b6401; flock(2)")
	takenByOthers = rule(verdict.For, "taken-by-others", "registry",
		"another function checks the entry or the flag, sets its own, and then creates or locks the file",
		"principle: what keeps others away is given up last")
)

// The rules that speak against one.
var (
	freshPlace = excludes.FreshPlace
	pidFile    = rule(verdict.Against, "pid-file", "quiet",
		"the file says which process runs: programs use its content, not the lock on it",
		"principle: who asks for a pid file asks for its content")
	existenceCounts = rule(verdict.Against, "made-exclusively", "quiet",
		"the lock is acquired by creating the file with O_EXCL: its existence is the lock, and removing it is the release",
		"the removal of an O_EXCL file is its unlock: clean places of kubernetes/client-go and caddyserver/certmagic")
	lookAgain = rule(verdict.Against, "takers-look-again", "quiet",
		"all code that acquires the lock checks afterwards that the name still leads to the locked file",
		"principle: a second check finds that the name refers to another file")
	mutexSpans = rule(verdict.Against, "mutex-spans", "quiet",
		"the function holds a mutex from the release of the entry until the clean-up is done",
		"principle: what is held is exclusive")
	unshared = rule(verdict.Against, "unshared", "quiet",
		"the registry or flag is used without a mutex: only one goroutine uses it",
		"principle: one goroutine does one thing at a time")
)
