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
		"another function loads and saves the same file without a lock: the lock that callers hold does not protect the file",
		"daemons that lock the place where they work, beside commands that do not")
	sharedPlace = rule(verdict.For, "shared-place", "mutex",
		"the file is where every process that the user starts finds it: a mutex of one process does not exclude the others",
		"configurations in the user's home")
	ownLock = rule(verdict.For, "own-lock", "stale",
		"the function acquires the lock of the object that it gets, changes and saves the object, but does not load it under the lock",
		"stores whose methods lock and save what was loaded before")
	packageMutex = rule(verdict.For, "package-mutex", "mutex",
		"the mutex is a package variable and the file is an argument: no object of the program owns the file",
		"helpers that guard any file by one mutex")
)

// What says that a lock is held.
var (
	lockHeld = rule(verdict.Against, "locked", "quiet",
		"every path to the save holds an exclusive lock from the load on, or calls a function for both that is named for a lock",
		"flock(2)")
	otherLock = rule(verdict.Against, "other-lock", "quiet",
		"every path to the save holds another lock between processes from the load on: that of all callers, or of all functions that save the file",
		"daemons that lock the place where they work")
	mutexHeld = rule(verdict.Lowers, "mutex", "mutex",
		"every path to the save holds a mutex from the load on: only another process can save in between",
		"principle")
	privateMutex = rule(verdict.Against, "private-mutex", "quiet",
		"a mutex is held, and nothing says that another process uses the file; or a lock that is not of package sync",
		"stores of servers, each with a directory of its own")
	lockedName = rule(verdict.Against, "locked-by-name", "quiet",
		"by its name, the function is called with the lock held",
		"the convention of the standard library: fooLocked")
	lockedObject = rule(verdict.Against, "locked-object", "quiet",
		"the object of the method is made under a lock that stays held: it exists only while the lock is held",
		"stores that are opened under a lock")
	exclGuard = rule(verdict.Against, "excl-guard", "quiet",
		"before the load, a lock file, link or directory is created exclusively, and it is removed after the save or named a lock",
		"open(2), O_EXCL; lock files that are made by hand")
)

// What says that nobody else is at work on the file.
var (
	beginning = rule(verdict.Against, "beginning", "stale",
		"by its name, the function creates the object that it saves: there is no older content",
		"constructors that save what they have made")
	runsOnce = rule(verdict.Against, "loaded-once", "quiet",
		"a sync.Once loads the file, for all calls of the process: what is saved later was loaded before, and not in this call",
		"false reports on micro/mu (Unsubscribe, SaveUserAgent); principle: the documentation of sync.Once")
	memoized = rule(verdict.Against, "kept-there", "keptthere",
		"the function that loads the object puts it where its next call finds it: it was not loaded for this save",
		"25 false reports on chenhg5/cc-connect (getOrCreateWorkspaceAgent); principle: what is made when it is first asked for is made once")
	atEnd = rule(verdict.Against, "end-of-run", "quiet",
		"a server loads the file at its start and saves it at its end, and nothing else in the package saves it",
		"what one run of a server leaves to the next: lima-vm/lima")
	madeForIt = rule(verdict.Against, "made-directory", "quiet",
		"every path to the save has created the directory for the file, with a name that nothing else uses",
		"files in a directory that is made for one instance: lxc/incus")
)

// What says that nothing of the file is lost, or nothing that counts.
var (
	notLoaded = rule(verdict.Against, "not-loaded", "quiet",
		"the file is saved only if it could not be read or decoded: nothing that was loaded is saved",
		"default files of a first run")
	putBack = rule(verdict.Against, "put-back", "quiet",
		"the bytes that were read are written unchanged",
		"files that are put back after an attempt")
	overwrittenFields = rule(verdict.Against, "each-field-new", "quiet",
		"each field of the loaded value gets a new value before it is saved",
		"principle")
	newForm = rule(verdict.Against, "new-form", "quiet",
		"the function saves the same content in another format, once: the next process that loads it does not convert it again",
		"files that are sealed or brought to a newer form when they are opened: nats-io/nats-server")
	stamp = rule(verdict.Against, "stamp", "quiet",
		"only the current time changes in the file, and nothing else in the package saves it: both processes would write almost the same time",
		"files that say when updates were looked for last")
	oneText = rule(verdict.Against, "one-text", "quiet",
		"a helper returns the trimmed text of the whole file, and a new text replaces it: nothing of the old content is kept",
		"files that name the current context or session")
	details = rule(verdict.Against, "details", "quiet",
		"the function takes only texts and numbers from what the helper decodes: it does not save changed old content",
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
		"a word of the name, place or type says that the file is a cache, and not one of tokens: its content can be made again",
		"principle")
)

// What says that the file is another's to look after.
var (
	chosen = rule(verdict.Against, "chosen", "quiet",
		"the user names the file for this run",
		"arguments of commands")
	systemSettings = rule(verdict.Against, "system-settings", "quiet",
		"the file has settings of the system, in /etc: other programs change it and ignore the lock of this one",
		"hosts and daemon settings in /etc")
	anotherProgram = rule(verdict.Lowers, "another-program", "severity",
		"the file is in the directory of another program, which ignores the lock: a lock excludes only the processes of this program",
		"changes of files of other agents: ollama/ollama, modu-ai/moai-adk, asheshgoplani/agent-deck")
	callersFile = rule(verdict.Against, "given-file", "quiet",
		"the function is exported, gets the path, and does not lock load and save separately: only its callers know the file and could lock it",
		"principle: only the callers of a helper know the file")
	triedNames = rule(verdict.Against, "tried-names", "quiet",
		"the function is exported, and tries one of several names in a directory that its callers in other packages name",
		"principle: only the callers of a helper know the file")
	toldThere = rule(verdict.Against, "reported-there", "across",
		"the load and the save are in another package of the program, and are reported there",
		"principle: one cause, one report")
	far = rule(verdict.Against, "far", "quiet",
		"the load or the save is more than a few calls deep, methods of the same type aside: those functions have a purpose of their own",
		"principle")
	longBetween = rule(verdict.For, "meanwhile", "severity/meanwhile",
		"the function waits between load and save for the user, another program or the network: others load and save the file in that time",
		"wanted reports: kardolus/chatgpt-cli, plandex-ai/plandex, docker/mcp-gateway")
	reloaded = rule(verdict.Against, "reloaded", "reloaded",
		"the function that saves the file loads it first, and is checked itself: it does not save what its caller has loaded",
		"principle: one cause, one report; gokcehan/lf, app.writeHistory")
	compared = rule(verdict.Against, "compared", "compared",
		"the function that saves the file locks it and reads it first: it saves only what nobody else has changed since",
		"principle: optimistic concurrency control; right places of github/gh-stack (stack.Save)")
	oneCause = rule(verdict.Against, "one-cause", "early",
		"another save of the same file in the function is reported, and needs the same lock; or another function is, which saves by the same one of another package",
		"principle: one cause, one report")
)
