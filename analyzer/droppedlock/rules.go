package droppedlock

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "droppedlock/" + fixture})
}

// The rules of the check.
var (
	unkept = rule(verdict.For, "unkept", "collected",
		"nothing refers to the open file once the function goes on or returns with the lock",
		"os.File closes what nobody refers to; close(2) lets go of the lock")
	unlooked = rule(verdict.For, "unlooked", "ignored",
		"nobody looks at whether the lock was taken",
		"flock(2) fails, and tells so by its error alone")
	neverLocked = rule(verdict.For, "never-locked", "descriptor",
		"the function has just opened the file that it unlocks, and did not lock it",
		"flock(2): the lock is that of the open file")
	closedAgain = rule(verdict.For, "closed-again", "posix",
		"the file is opened and closed once more under a lock of fcntl",
		"fcntl(2): any close of the file in the process lets go of the lock")
	startsProgram = rule(verdict.For, "starts-program", "inherited",
		"the package starts other programs, which get the open file",
		"open(2), O_CLOEXEC; flock(2)")

	generated = rule(verdict.Forbids, "generated", "quiet",
		"a program wrote this source",
		"https://go.dev/s/generatedcode")
	freed = rule(verdict.Against, "let-go-elsewhere", "quiet",
		"something else in the function lets go of the lock",
		"principle: who can let go of the lock has kept it")
	releasedLater = rule(verdict.Against, "let-go-deferred", "posix",
		"a deferred call, a goroutine or the call that locks lets go of the lock wherever the function ends well, and keeps the open file until then",
		"principle: who lets go of the lock later has kept it until then")
	released = rule(verdict.Against, "let-go", "quiet",
		"the function lets go of the lock wherever it ends well",
		"principle: a lock that is let go of need not be kept")
	asksOnly = rule(verdict.Against, "asks-only", "quiet",
		"the function asks by its name whether another has the lock, and wants none",
		"principle: a question wants no lock")
	letGoBefore = rule(verdict.Against, "let-go-before", "posix",
		"the lock is let go of before the file is opened once more",
		"principle: a lock that is let go of cannot be lost")
	markedLater = rule(verdict.Against, "marked-later", "inherited",
		"the function calls something with the descriptor that can mark it as one that programs do not get",
		"fcntl(2), FD_CLOEXEC")
)
