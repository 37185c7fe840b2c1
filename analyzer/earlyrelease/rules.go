package earlyrelease

import (
	"go/token"

	"github.com/lockvet/lockvet/internal/verdict"
)

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "earlyrelease/" + fixture})
}

// The rules that speak for a release that comes too early.
var (
	lockName = rule(verdict.For, "lock-name", "unlink",
		"the file that is removed is locked, and named as a lock file",
		"bugs of steveyegge/gastown@4184029 and steveyegge/beads@175bc23; flock(2): the lock is on the file and not on its name")
	lockObject = rule(verdict.For, "lock-object", "unlink",
		"a lock object has the file that is removed to itself: nothing is kept in it",
		"a bug of gofrs/flock@6d0fcb0")
	endsWithLock = rule(verdict.For, "ends-with-lock", "unlink",
		"who takes the lock makes the file, and who releases it removes the file: it is there for the lock alone",
		"bugs of cashapp/hermit@f25714e and bnema/gordon@48b6401; flock(2)")
	takenByOthers = rule(verdict.For, "taken-by-others", "registry",
		"another function looks for the entry or the flag, makes its own, and then makes or locks the file",
		"principle: what keeps others away is given up last")
	writtenUnder = rule(verdict.For, "written-under-lock", "defers",
		"the package writes the same file under the lock",
		"principle: what is written under a lock is what the lock is for")
	readUnder = rule(verdict.For, "read-under-lock", "unlock",
		"the function has read the file under the lock that stands beside it",
		"principle: what is changed has to be read and written under one lock")
	existenceLocks = rule(verdict.For, "claim", "twice",
		"the file is made exclusively, and says that it is for one process only: its existence is the lock",
		"open(2), O_EXCL")
	sameNumber = rule(verdict.For, "by-number", "twice",
		"a descriptor that was locked is closed or unlocked by its number when it is closed",
		"close(2): the number is given to the next file that is opened")
	takenByAge = rule(verdict.For, "taken-by-age", "takenover",
		"the package removes the file because it is old, without a check of its owner",
		"principle: who sleeps for long finds the file of another")
	usedUnder = rule(verdict.For, "used-under-lock", "defers",
		"other functions use under the lock what the deferred call changes and saves",
		"principle: a mutex guards what is used under it")
)

// The rule that makes a warning of one.
var lockedPid = rule(verdict.Lowers, "locked-pid", "unlink",
	"the file says which process runs, and is removed when that ends: two more have to be started just then",
	"principle: a daemon is not started that often")

// The rules that speak against one.
var (
	generated = rule(verdict.Forbids, "generated", "quiet",
		"a program wrote this source",
		"https://go.dev/s/generatedcode")
	freshPlace = rule(verdict.Against, "fresh-place", "quiet",
		"the file stands in a place, or has a name, that nobody else knows",
		"os.CreateTemp, os.MkdirTemp")
	pidFile = rule(verdict.Against, "pid-file", "quiet",
		"the file says which process runs; that it is locked, too, is beside the point",
		"principle: who asks for a pid file asks for its content")
	existenceCounts = rule(verdict.Against, "made-exclusively", "quiet",
		"who takes the lock makes the file with O_EXCL: its existence is the lock, and its release removes it",
		"the removal of an O_EXCL file is its unlock: clean places of kubernetes/client-go and caddyserver/certmagic")
	lookAgain = rule(verdict.Against, "takers-look-again", "quiet",
		"everybody who takes the lock looks then whether the file is still the one of that name",
		"principle: who looks again finds out that the name is of another file")
	unlockable = rule(verdict.Against, "cannot-be-locked", "quiet",
		"the file is removed where the lock could not even be asked for: nobody holds it",
		"a false report on a lock that is broken only where taking it fails")
	mutexSpans = rule(verdict.Against, "mutex-spans", "quiet",
		"a mutex is held from the release of the entry until the clean-up is done, by the function or by its caller",
		"principle: what is held is exclusive")
	unshared = rule(verdict.Against, "unshared", "quiet",
		"the registry or flag is used without a mutex: one goroutine knows it",
		"principle: one goroutine does one thing at a time")
	leavesOld = rule(verdict.Against, "leaves-old", "quiet",
		"who takes the flag makes the file only where there is none: it does not lose what it could not make",
		"open(2), O_EXCL")
	locksAgain = rule(verdict.Against, "locks-again", "quiet",
		"the lock is taken once more for the write, and held over it",
		"principle: what is written under the lock is not late")
	copyWritten = rule(verdict.Against, "copy-written", "quiet",
		"the lock is a mutex, and what is written after it is a copy: stalesnapshot judges that",
		"principle: one cause, one report")
	madeBetween = rule(verdict.Against, "made-between", "quiet",
		"the function makes the file again before it removes it once more",
		"principle: what is made again is its own")
	serves = rule(verdict.Against, "serves", "mocks",
		"the package serves tests, builds or demonstrations",
		"packages for tests and demonstrations, which run alone")
	looksFirst = rule(verdict.Against, "looks-first", "quiet",
		"the function looks at the file before it removes it, and not only whether it exists: whose it is, as may be",
		"O_EXCL locks with a token: clean places of Gitlawb/zero")
	rewritten = rule(verdict.Against, "written-again", "rewritten",
		"the holder writes the file more than once, and so keeps it young",
		"principle: a file that is written is not old")
	touched = rule(verdict.Against, "touched", "touched",
		"the package sets the times of the file: one that is in use does not get old",
		"principle: a file whose times are set is not old")
	asksOwner = rule(verdict.Against, "asks-owner", "quiet",
		"the file is taken over by who asks for its holder, and not by its age alone",
		"principle: who has ended holds nothing")
	ofObject = rule(verdict.Against, "lock-of-its-own", "defers",
		"what is changed is in another object, which has a lock of its own",
		"a false report: the queue of a server, changed far below the lock of its client")
)

// idle reports whether a place of which a rule speaks need not be looked at: the rule is
// asked, and nobody wants to know of what.
func (c *checker) idle(r *verdict.Rule) bool { return c.x.Log().Asks(r) && !c.x.Log().Keeps() }

// stops notes a reason against a place, if its rule is asked, and reports whether that
// ends the matter, since nobody wants to know of what it spoke.
func (c *checker) stops(why *[]verdict.Reason, r *verdict.Rule, pos token.Pos, text string) bool {
	if c.idle(r) {
		return true
	}
	if c.x.Log().Asks(r) {
		*why = append(*why, verdict.Reason{Rule: r, Pos: pos, Text: text})
	}
	return false
}
