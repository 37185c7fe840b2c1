package lostupdate

import (
	"github.com/lockvet/lockvet/internal/verdict"
)

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "lostupdate/" + fixture})
}

// What shows that an update can be lost. Without such a rule there is no candidate of its
// kind.
var (
	derived = rule(verdict.For, "derived", "unlocked",
		"the bytes that are saved derive from those that were loaded from the same path",
		"principle")
	loadedObject = rule(verdict.For, "object", "across",
		"the object that is saved is the one that a loader of the same path has returned or filled",
		"registries that a function loads, changes and saves by methods")
	sharedPlace = rule(verdict.For, "shared-place", "mutex",
		"the file is where every process that the user starts finds it: a mutex of one process does not exclude the others",
		"configurations in the user's home")
	packageMutex = rule(verdict.For, "package-mutex", "mutex",
		"the mutex is a package variable and the file is an argument: no object of the program owns the file",
		"helpers that guard any file by one mutex")
)

// What says that a lock is held.
var (
	mutexHeld = rule(verdict.Lowers, "mutex", "mutex",
		"every path to the save holds a mutex from the load on: only another process can save in between",
		"principle")
	privateMutex = rule(verdict.Against, "private-mutex", "quiet",
		"a mutex is held, and nothing says that another process uses the file; or a lock that is not of package sync",
		"stores of servers, each with a directory of its own")
	exclGuard = rule(verdict.Against, "excl-guard", "quiet",
		"before the load, a lock file, link or directory is created exclusively, and it is removed after the save or named a lock",
		"open(2), O_EXCL; lock files that are made by hand")
)

// What says that nothing of the file is lost, or nothing that counts.
var (
	notLoaded = rule(verdict.Against, "not-loaded", "quiet",
		"the file is saved only if it could not be read or decoded, or each field gets a new value: nothing that was loaded is saved",
		"default files of a first run")
	putBack = rule(verdict.Against, "put-back", "quiet",
		"the bytes that were read are written unchanged, or the same content in another format, once",
		"files that are put back after an attempt")
	whoIsThere = rule(verdict.Against, "who-is-there", "quiet",
		"the name says that the file is a lock, a pid file or a heartbeat, or it has a process number in a field: "+
			"each owner replaces its content",
		"lock files that name their holder")
)

// What says that the file is another's to look after.
var (
	callersFile = rule(verdict.Against, "given-file", "quiet",
		"the function is exported, gets the path, and does not lock load and save separately: only its callers know the file",
		"principle: only the callers of a helper know the file")
	reloaded = rule(verdict.Against, "reloaded", "reloaded",
		"the function that saves the file loads it first, and is checked itself: it does not save what its caller has loaded",
		"principle: one cause, one report; gokcehan/lf, app.writeHistory")
	oneCause = rule(verdict.Against, "one-cause", "early",
		"another save of the same file in the function is reported, and needs the same lock; or another function is, "+
			"which saves by the same one of another package",
		"principle: one cause, one report")
)
