package lostupdate

import "github.com/lockvet/lockvet/internal/verdict"

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
	unlockedBeside = rule(verdict.For, "unlocked-beside", "unlocked",
		"something else loads and saves the same file with no lock: a lock that callers have is none of the file",
		"daemons that lock the place where they work, beside commands that do not")
	sharedPlace = rule(verdict.For, "shared-place", "mutex",
		"the file stands where every process that the user starts finds it: a mutex of one process does not keep the others out",
		"configurations in the user's home")
	packageMutex = rule(verdict.For, "package-mutex", "mutex",
		"the mutex is a package variable while an argument names the file: nothing of the program owns the file",
		"helpers that guard any file by one mutex")
	ownLock = rule(verdict.For, "own-lock", "stale",
		"the function takes the lock of the object that it is given, changes it and saves it, and does not load it under the lock",
		"stores whose methods lock and save what was loaded before")
	loadedAgain = rule(verdict.For, "loaded-again", "stale",
		"a method of the type loads the object again while it is in use: the program expects that others change the file",
		"principle")
	loadedOnce = rule(verdict.For, "loaded-when-made", "kept",
		"the object is loaded when it is made, from a file that every process of the user finds, and saved by its method",
		"a registry that is loaded when it is made: danielmiessler/fabric")
	loadedBefore = rule(verdict.For, "loaded-before", "variable",
		"a package variable is loaded by one function, from a file that every process of the user finds, and changed and saved by another",
		"lists of projects and settings that are loaded at the start of a command and saved at its end: ddev/ddev, cloudfoundry/cli; principle")
	staysOpen = rule(verdict.For, "stays-open", "open",
		"a program that draws a screen loads state, and another function saves it later: a second instance has loaded the same, and saves its own",
		"connections, marks and snippets of programs that stay open in a terminal: jorgerojas26/lazysql, gokcehan/lf, maaslalani/nap")
	asksUser = rule(verdict.For, "asks-user", "asked",
		"the function is given an object that was loaded before, waits for the user, and then changes and saves the object",
		"prompts for a token before the configuration is saved: hetznercloud/cli; principle")
	setter = rule(verdict.For, "setter", "split",
		"a store that locks each call for itself is given what was got from it before, changed",
		"the documentation of SetNames: containers/storage")
)

// What says that a lock is held.
var (
	lockHeld = rule(verdict.Against, "locked", "quiet",
		"every path to the save holds an exclusive lock from the load on: it is the lock of the file, or one at an unknown place",
		"flock(2)")
	lockByName = rule(verdict.Against, "lock-named", "quiet",
		"a function that is named for a lock, by a whole word, has both halves",
		"principle: names say what cannot be followed")
	otherLock = rule(verdict.Against, "other-lock", "quiet",
		"every path to the save holds a lock between processes from the load on: of a caller, or of all that save the file",
		"daemons that lock the place where they work")
	callersHold = rule(verdict.Against, "callers-locked", "quiet",
		"every way into the function comes by a caller that has a lock between processes",
		"daemons that lock the place where they work")
	mutexHeld = rule(verdict.Lowers, "mutex", "mutex",
		"however the save is reached, a mutex is held from the load to the save: only another process can come in between",
		"principle")
	unknownMutex = rule(verdict.Against, "unknown-mutex", "quiet",
		"a lock is held that is not of package sync, and may be one between processes",
		"principle: an effect that cannot be resolved ends the reasoning")
	privateMutex = rule(verdict.Against, "private-mutex", "quiet",
		"a mutex is held, and nothing says that another process has the file",
		"stores of servers, each with a directory of its own")
	lockedName = rule(verdict.Against, "locked-by-name", "quiet",
		"the function says by its name that its callers have the lock",
		"the convention of the standard library: fooLocked")
	lockedObject = rule(verdict.Against, "locked-object", "quiet",
		"the object of the method is made under a lock that stays held: it exists only while the lock is held",
		"stores that are opened under a lock")
	exclGuard = rule(verdict.Against, "excl-guard", "quiet",
		"a file, link or directory for this file is created exclusively and checked before, and removed after the save or named a lock",
		"open(2), O_EXCL; lock files that are made by hand")
)

// What says that nobody else is at work on the file.
var (
	once = rule(verdict.Against, "once", "quiet",
		"the function, or each that calls it, is named for a repair, a migration or a part of the set-up: a person starts it, once",
		"set-ups and repairs of command-line programs")
	onceBelow = rule(verdict.Against, "once-below", "quiet",
		"a function by which the file is saved is named for a repair, a migration or a part of the set-up",
		"set-ups and repairs of command-line programs")
	ifChanged = rule(verdict.Against, "if-migrated", "quiet",
		"the file is saved only where a function that is named for a repair or a migration says so",
		"a load that saves when it has migrated something: docker/cagent")
	ifChangedElsewhere = rule(verdict.Against, "if-migrated-elsewhere", "quiet",
		"the file is saved only where a function of another package says so, and the package is named for repairs or migrations",
		"a load that saves when it has migrated something: docker/cagent")
	atEnd = rule(verdict.Against, "end-of-run", "quiet",
		"a server loads the file once, waits for events and saves the file at its end, while nothing else of the package saves it",
		"what one run of a server leaves to the next: lima-vm/lima")
	madeForIt = rule(verdict.Against, "made-directory", "quiet",
		"all who come to the save have made the directory for it, with a name that nobody else has",
		"files in a directory that is made for one instance: lxc/incus")
	serverObject = rule(verdict.Against, "mutex-object", "kept",
		"the object has a mutex: it is that of a server, of which one runs",
		"principle; stores of servers")
	beginning = rule(verdict.Against, "beginning", "stale",
		"the function is named for making what it is given: nobody has loaded that before",
		"constructors that save what they have made")
	loadedByCallers = rule(verdict.Against, "callers-load", "stale",
		"every call of the function comes after a load of the object",
		"objects that a method was given and had not loaded itself: Dicklesworthstone/ntm")
)

// What says that nothing of the file is lost, or nothing that counts.
var (
	notLoaded = rule(verdict.Against, "not-loaded", "quiet",
		"the file is saved only where it could not be read or decoded: what is saved is nothing that was loaded",
		"default files of a first run")
	putBack = rule(verdict.Against, "put-back", "quiet",
		"the very bytes are written that were read",
		"files that are put back after an attempt")
	overwrittenFields = rule(verdict.Against, "each-field-new", "quiet",
		"each field of what the file is loaded into gets a new value before it is saved",
		"principle")
	newForm = rule(verdict.Against, "new-form", "quiet",
		"the function saves the same content in another form: the next process that opens the file has nothing left to convert",
		"files that are sealed or brought to a newer form when they are opened: nats-io/nats-server")
	stamp = rule(verdict.Against, "stamp", "quiet",
		"all that changes is the time of now, and nothing else of the package saves the file: who comes later says so, too",
		"files that say when updates were looked for last")
	oneText = rule(verdict.Against, "one-text", "quiet",
		"a helper returns the trimmed text of the whole file, and a new text replaces it: nothing of the old content is kept",
		"files that name the current context or session")
	details = rule(verdict.Against, "details", "quiet",
		"of what a helper decodes nothing is taken but texts and numbers: what is saved is no old content that was changed",
		"a description that another description was asked for: cli/cli")
	ofProcess = rule(verdict.Against, "pid-field", "quiet",
		"the loaded value has a process number in a field and no list that the function extends: the next process replaces the file",
		"files of daemons that say who runs and where")
	ofLiving = rule(verdict.Against, "living", "quiet",
		"the function that reads the file checks whether the processes named in it live: the content is worthless when they end",
		"kill(2), signal 0; lists of running instances")
	whoIsThere = rule(verdict.Against, "who-is-there", "quiet",
		"the name says that the file is a lock, a pid file or a heartbeat: each owner replaces its content",
		"lock files that name their holder")
	cache = rule(verdict.Against, "cache", "quiet",
		"a whole word in the name, place or type says that the file is a cache: its content can be made again",
		"principle")
)

// What says that the file is another's to look after.
var (
	generated = rule(verdict.Forbids, "generated", "quiet",
		"a program wrote this source",
		"https://go.dev/s/generatedcode")
	chosen = rule(verdict.Against, "chosen", "quiet",
		"the user names the file for this run",
		"arguments of commands")
	systemSettings = rule(verdict.Against, "system-settings", "quiet",
		"the file has settings of the system, in /etc: other programs change it and take no lock of this one",
		"hosts and daemon settings in /etc")
	anotherProgram = rule(verdict.Lowers, "another-program", "severity",
		"the file is in the directory of another program, which ignores the lock: a lock excludes only the processes of this program",
		"changes of files of other agents: ollama/ollama, modu-ai/moai-adk, asheshgoplani/agent-deck")
	callersFile = rule(verdict.Against, "given-file", "quiet",
		"the function is exported, gets the path, and does not lock each half: only its callers know the file and could hold its lock",
		"principle: only the callers of a helper know the file")
	triedNames = rule(verdict.Against, "tried-names", "quiet",
		"the function is exported, and tries one of several names in a place that its callers in other packages name",
		"principle: only the callers of a helper know the file")
	toldThere = rule(verdict.Against, "reported-there", "across",
		"both halves stand in another package of the program, which is told of them",
		"principle: one cause, one report")
	far = rule(verdict.Against, "far", "quiet",
		"the load or the save is more than a few calls below: what happens there serves a purpose of its own",
		"principle")
	reloaded = rule(verdict.Against, "reloaded", "reloaded",
		"the function that saves the file loads it first: it does not save what its caller has loaded, and its own pair is judged there",
		"principle: one cause, one report; gokcehan/lf, app.writeHistory")
	oneCause = rule(verdict.Against, "one-cause", "kept",
		"another save of the same file in the function is reported, and needs the same lock",
		"principle: one cause, one report")
)
