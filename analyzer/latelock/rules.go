package latelock

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "latelock/" + fixture})
}

// The rules by which a lock guards a place.
var (
	declaredSo = rule(verdict.For, "declared", "before",
		"a comment says that the lock guards the place",
		"comments in the sample of packages with locks; gvisor's +checklocks")
	mostHold = rule(verdict.For, "most-hold", "before",
		"most of the other functions that use the place have the lock then",
		"principle: what most do under a lock is what the lock is for")
)

// The rules that speak against a report.
var (
	generated = rule(verdict.Forbids, "generated", "quiet",
		"a program wrote this source",
		"https://go.dev/s/generatedcode")
	anotherLock = rule(verdict.Against, "another-lock", "quiet",
		"another lock is or may be held at the change",
		"objects that are guarded by the lock of what they belong to")
	namedEarly = rule(verdict.Against, "named-early", "quiet",
		"the function is named as one that runs before the object is shared",
		"constructors and set-up functions in the sample of packages with locks")
	namedLocked = rule(verdict.Against, "named-locked", "quiet",
		"the function says by its name that its caller has the lock",
		"the ending -Locked of the standard library")
	commentSays = rule(verdict.Against, "comment-says", "quiet",
		"the comment of the function promises the lock on entry, or that there is but one caller",
		"comments in the sample of packages with locks; gvisor's +checklocks")
	lentLock = rule(verdict.Against, "releases-callers-lock", "quiet",
		"the function lets go of a lock that it did not take: its caller has it",
		"functions that wait without the lock of their caller")
	makesLock = rule(verdict.Against, "makes-the-lock", "quiet",
		"the function sets the lock: nobody else has the object yet",
		"constructors of another name")
	startsOthers = rule(verdict.Against, "starts-goroutines", "quiet",
		"the function starts goroutines behind the change: there are none yet that it could meet",
		"servers that are set up where they are started")
	careless = rule(verdict.Against, "changed-without", "quiet",
		"another function changes the place with no thought of the lock, which may not be for it",
		"fields that one goroutine owns: most reports were about these")
	onlyRead = rule(verdict.Against, "only-read-under", "quiet",
		"several change the place, and none of them under the lock: who reads it there has the lock for something else",
		"fields that are set before the start")
	oneGoroutine = rule(verdict.Against, "one-goroutine", "quiet",
		"a loop changes the place without the lock that it takes in each round, and calls all others that change it: it owns the place",
		"read loops of network clients")
	sameGoroutine = rule(verdict.Against, "same-goroutine", "quiet",
		"all others that go by the lock run on the goroutine of the change",
		"principle: one goroutine does one thing at a time")
	noFile = rule(verdict.Against, "no-file", "quiet",
		"nothing that uses the place has to do with a file",
		"principle: memory that no file stands behind is the race detector's")
	looksOnceMore = rule(verdict.Against, "looks-again", "recheck",
		"the function looks again under the lock that the change has",
		"double-checked creation")
)
