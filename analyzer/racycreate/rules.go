package racycreate

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "racycreate/" + fixture})
}

// The rules that speak for a race.
var (
	claims = rule(verdict.For, "claim", "check",
		"the name, the content or the function that makes the file says that it is for one process only",
		"bugs of golang/dep@8820f1f and steveyegge/gastown@55f5eb1")
	refuses = rule(verdict.For, "refuses", "check",
		"the function gives up, waits or takes another name where the file is there: so it takes it for another's",
		"bugs of golang/dep@8820f1f and ipfs/kubo@7a4c377")
	saysTaken = rule(verdict.For, "says-taken", "claim",
		"the function that takes the lock is to fail where another has it, and says so",
		"a bug of steveyegge/gastown@55f5eb1")
	nameCounts = rule(verdict.For, "name-counts", "placeholder",
		"nothing is written to the file, and who fails removes it: its name is all that counts",
		"a bug of containers/common@0d468ab: names of network namespaces")
	takesOver = rule(verdict.For, "takes-over", "reclaim",
		"the function takes the file away because of what it has found, and makes it again",
		"principle: of two who take the same thing for stale, one is late")
	takenStale = rule(verdict.For, "taken-when-stale", "deeds",
		"the file is made exclusively, and taken away when it is old or when its holder has ended: it is a lock, whatever its name",
		"locks that are named for what they are for: Dynatrace/dynatrace-bootstrapper, caddyserver/certmagic, cloudflare/cloudflared; open(2), O_EXCL")
	putsBack = rule(verdict.For, "puts-back", "restore",
		"a lock that is renamed to see whether it is stale is renamed back: that replaces what another has made in between",
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
		"the function has made the same file before: it is its own that it writes again",
		"principle: what is there is its own")
	quietly = rule(verdict.Against, "goes-quietly", "quiet",
		"the function goes away without a word where the file is there, and never removes it: the file says that something was done",
		"principle: who never gives the file back has no claim on it")
	overwrites = rule(verdict.Against, "overwrites", "quiet",
		"the file is no claim by its name, and is overwritten in some cases",
		"principle: what is overwritten on demand is no claim")
	uniqueName = rule(verdict.Against, "unique-name", "quiet",
		"the name is one that nobody else gets",
		"os.CreateTemp, os.MkdirTemp")
	userChosen = rule(verdict.Against, "chosen", "quiet",
		"the user names the file: nobody else runs the same command for it",
		"principle: what the user names is his")
	fixedName = rule(verdict.Against, "fixed-name", "quiet",
		"the file is no claim by its name, and the only one of its kind: it is made once where it is missing",
		"principle: what two processes make alike can be made twice")
	serves = rule(verdict.Against, "serves", "mocks",
		"the package serves tests, builds or demonstrations",
		"packages for tests and demonstrations, which run alone")
	locked = rule(verdict.Against, "locked", "quiet",
		"in every context a lock between processes is held that can be one for the file",
		"principle: what is held is exclusive")
	otherFile = rule(verdict.Against, "other-file", "quiet",
		"another file is made exclusively before, with a look at the answer, and may be the lock for this one",
		"clean places with O_EXCL lock files: Gitlawb/zero, kubernetes/client-go")
	sameCause = rule(verdict.Against, "same-cause", "acquire",
		"the creation of the file, or another removal in the same function, is reported: the takeover of a stale one has the same cause",
		"principle: one cause, one report")
	looksAfter = rule(verdict.Against, "looks-after", "aside",
		"the file is renamed, and then its content or identity is looked at: who has moved a fresh one can see that",
		"O_EXCL locks with a token and a verified reclaim: the clean places of Gitlawb/zero")
	leftForOthers = rule(verdict.Against, "left-for-others", "quiet",
		"the file is made again by a call that accepts an existing one, in a function not named for a lock: others shall find it",
		"pid files after a liveness check: a clean place of moby/moby")
)
