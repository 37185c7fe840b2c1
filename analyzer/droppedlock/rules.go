package droppedlock

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "droppedlock/" + fixture})
}

// The rules of the check.
var (
	unkept = rule(verdict.For, "unkept", "collected",
		"nothing refers to the open file once the function goes on or returns with the lock",
		"os.File closes what nobody refers to; close(2) releases the lock")
	unlooked = rule(verdict.For, "unlooked", "ignored",
		"the program does not check whether the lock was acquired",
		"flock(2) fails, and tells so by its error alone")
	neverLocked = rule(verdict.For, "never-locked", "descriptor",
		"the function has just opened the file that it unlocks, and did not lock it",
		"flock(2): the lock is that of the open file")
	closedAgain = rule(verdict.For, "closed-again", "posix",
		"the file is opened and closed a second time while an fcntl lock on it is held",
		"fcntl(2): any close of the file in the process releases the lock")
	startsProgram = rule(verdict.For, "starts-program", "inherited",
		"the package starts other programs, which inherit the open file",
		"open(2), O_CLOEXEC; flock(2)")

	freed = rule(verdict.Against, "released-elsewhere", "quiet",
		"something else in the function releases the lock",
		"principle: who can release the lock has kept it")
	releasedLater = rule(verdict.Against, "released-later", "posix",
		"a deferred call, a goroutine or the locking call releases the lock on every path that succeeds, and refers to the open file until then",
		"principle: who releases the lock later has kept it until then")
	released = rule(verdict.Against, "released", "quiet",
		"the function releases the lock on every path that succeeds",
		"principle: a lock that is released need not be kept")
	probes = rule(verdict.Against, "asks-only", "quiet",
		"the name of the function asks whether another process holds the lock: the function does not need it",
		"principle: a question wants no lock")
	letGoBefore = rule(verdict.Against, "released-before", "posix",
		"the lock is released before the file is opened a second time",
		"principle: a lock that is released cannot be lost")
	markedLater = rule(verdict.Against, "marked-later", "inherited",
		"the function passes the descriptor to a call that can mark it close-on-exec",
		"fcntl(2), FD_CLOEXEC")
)
