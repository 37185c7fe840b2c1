package racycreate

import "github.com/lockvet/lockvet/internal/verdict"

// maxBelow bounds the calls in another package between a function and what it is taken to do
// to a claim.
const maxBelow = 1

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "racycreate/" + fixture})
}

// The rules that speak for a race.
var (
	claims = rule(verdict.For, "claim", "check",
		"the name, the content or the function that makes the file says that it is for one process only",
		"bugs of golang/dep@8820f1f and steveyegge/gastown@55f5eb1")
	refuses = rule(verdict.For, "refuses", "check",
		"if the file exists, the function fails, waits or tries another name: it treats the file as that of another process",
		"bugs of golang/dep@8820f1f and ipfs/kubo@7a4c377")
	saysTaken = rule(verdict.For, "says-taken", "claim",
		"the function that acquires the lock fails if another process holds it, and says so",
		"a bug of steveyegge/gastown@55f5eb1")
	onlyOpened = rule(verdict.For, "only-opened", "claim",
		"the function that acquires the lock neither locks the file nor writes to it: its existence is the lock",
		"a bug of offen/docker-volume-backup@b1c4bee; open(2): without O_EXCL an existing file is opened")
	takesOver = rule(verdict.For, "takes-over", "reclaim",
		"the function removes the file because of its age or content, or in any case, and creates it again",
		"principle: of two who take the same thing for stale, one is late")
	takenStale = rule(verdict.For, "taken-when-stale", "deeds",
		"the file is created with O_EXCL, and removed when it is old or its holder has ended: it is a lock, whatever its name",
		"locks that are named for what they are for: Dynatrace/dynatrace-bootstrapper, caddyserver/certmagic, cloudflare/cloudflared; open(2), O_EXCL")
	putsBack = rule(verdict.For, "puts-back", "restore",
		"a lock file that was renamed to see whether it is stale is renamed back: that replaces one that another process has created in between",
		"bugs of Gitlawb/zero@da41c3a; rename(2)")
)

// The rules that speak against one.
var (
	generated = rule(verdict.Forbids, "generated", "quiet",
		"a program wrote this source",
		"https://go.dev/s/generatedcode")
	ownLock = rule(verdict.Against, "own-lock", "quiet",
		"the file is locked exclusively before anything is written: whether it exists says nothing, and a lock ends with its process",
		"flock(2): the system releases the lock of a process that died")
	madeBefore = rule(verdict.Against, "made-before", "across/bisect",
		"the function has created the same file before: it writes its own file again",
		"principle: what is there is its own")
	quietly = rule(verdict.Against, "goes-quietly", "quiet",
		"the function returns without an error if the file exists, and never removes the file: the file records that something was done",
		"principle: who never gives the file back has no claim on it")
	overwrites = rule(verdict.Against, "overwrites", "quiet",
		"by its name, the file is no lock or claim, and the function overwrites it in some cases",
		"principle: what is overwritten on demand is no claim")
	uniqueName = rule(verdict.Against, "unique-name", "quiet",
		"no other process gets the same name",
		"os.CreateTemp, os.MkdirTemp")
	userChosen = rule(verdict.Against, "chosen", "quiet",
		"the user names the file: nobody else runs the same command for it",
		"principle: what the user names is his")
	fixedName = rule(verdict.Against, "fixed-name", "quiet",
		"by its name, the file is no lock or claim, and there is only one such file: it is created once if it is missing",
		"principle: what two processes make alike can be made twice")
	far = rule(verdict.Against, "far", "across/far",
		"another package creates or removes the file, more than a call below: those functions have a purpose of their own",
		"false reports on steveyegge/gastown and asheshgoplani/agent-deck: pid files of a server that each start cleans up, a lock that another command takes")
	serves = rule(verdict.Against, "serves", "mocks",
		"the package serves tests, builds or demonstrations",
		"packages for tests and demonstrations, which run alone")
	locked = rule(verdict.Against, "locked", "quiet",
		"every caller holds a lock between processes that may be the one for the file",
		"principle: what is held is exclusive")
	asksAgain = rule(verdict.Against, "asks-again", "claim",
		"the function acquires the lock only in a later round of the loop that makes the file: the file asks the owner to release the lock",
		"a false report on tus/tusd (filelocker); principle: who makes a lock file goes on as its owner")
	otherFile = rule(verdict.Against, "other-file", "quiet",
		"another file is created with O_EXCL before, with a check of the error, and may be the lock for this one",
		"clean places with O_EXCL lock files: Gitlawb/zero, kubernetes/client-go")
	listener = rule(verdict.Against, "listens", "judge",
		"the process listens at an address before it creates the file: a second process cannot listen there, and gives up",
		"bind(2): EADDRINUSE")
	sameCause = rule(verdict.Against, "same-cause", "acquire",
		"the creation of the file, or another removal in the same function, is reported: the takeover of a stale one has the same cause",
		"principle: one cause, one report")
	looksAfter = rule(verdict.Against, "looks-after", "aside",
		"the function checks the content or identity of the file after the rename: it can see that it has moved a fresh one",
		"O_EXCL locks with a token and a verified reclaim: the clean places of Gitlawb/zero")
	leftForOthers = rule(verdict.Against, "left-for-others", "quiet",
		"a function not named for a lock creates the file again, with a call that accepts an existing one: other programs are meant to find it",
		"pid files after a liveness check: a clean place of moby/moby")
)
