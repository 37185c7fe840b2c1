package racycreate

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "racycreate/" + fixture})
}

// The rules that speak for a race.
var (
	claims = rule(verdict.For, "claim", "check",
		"the name, the content or the function that makes the file says that it is for one process only",
		"lock and pid files; asheshgoplani/agent-deck")
	refuses = rule(verdict.For, "refuses", "check",
		"the function gives up, waits or takes another name where the file is there: so it takes it for another's",
		"principle: whose existence is a refusal has an owner")
	saysTaken = rule(verdict.For, "says-taken", "claim",
		"the function that takes the lock is to fail where another has it, and says so",
		"daemons that look for a running one before they make their pid file")
	nameCounts = rule(verdict.For, "name-counts", "placeholder",
		"nothing is written to the file, and who fails removes it: its name is all that counts",
		"empty files that hold a name free, as for containers and sockets")
	takesOver = rule(verdict.For, "takes-over", "reclaim",
		"the function takes the file away because of what it has found, and makes it again",
		"lock files that are taken over by age or pid: asheshgoplani/agent-deck")
)

// The rules that speak against one.
var (
	generated = rule(verdict.Forbids, "generated", "quiet",
		"a program wrote this source",
		"https://go.dev/s/generatedcode")
	ownLock = rule(verdict.Against, "own-lock", "quiet",
		"the file is locked itself: whether it exists says nothing, and the system lets go for who dies",
		"flock(2); lock files of gofrs/flock")
	madeBefore = rule(verdict.Against, "made-before", "across/bisect",
		"the function has made the same file before: it is its own that it writes again",
		"leases that are renewed by their holder")
	quietly = rule(verdict.Against, "goes-quietly", "quiet",
		"the function goes away without a word where the file is there, and never removes it: the file says that something was done",
		"markers of migrations and first runs")
	overwrites = rule(verdict.Against, "overwrites", "quiet",
		"the file is no claim by its name, and is overwritten in some cases",
		"commands with a flag that overwrites")
	uniqueName = rule(verdict.Against, "unique-name", "quiet",
		"the name is one that nobody else gets",
		"os.CreateTemp, os.MkdirTemp")
	userChosen = rule(verdict.Against, "chosen", "quiet",
		"the user names the file: nobody else runs the same command for it",
		"commands that refuse to overwrite their output")
	fixedName = rule(verdict.Against, "fixed-name", "quiet",
		"the file is no claim by its name, and the only one of its kind: it is made once where it is missing",
		"configurations of a first run")
	serves = rule(verdict.Against, "serves", "mocks",
		"the package serves tests, builds or demonstrations",
		"stores of generators and mocks")
	locked = rule(verdict.Against, "locked", "quiet",
		"in every context a lock between processes is held",
		"principle: what is held is exclusive")
	otherFile = rule(verdict.Against, "other-file", "quiet",
		"another file is made exclusively before, and may be the lock for this one",
		"pid files that are written under a lock file beside them")
	sameCause = rule(verdict.Against, "same-cause", "acquire",
		"the making of the file is reported: how a stale one is taken over is part of the same design",
		"principle: one cause, one report")
	looksAfter = rule(verdict.Against, "looks-after", "aside",
		"the file is renamed, and then looked at: who has moved a fresh one can see that",
		"rename(2) as the taking of what is stale")
	leftForOthers = rule(verdict.Against, "left-for-others", "quiet",
		"the file is made again by a call that takes an existing one, in a function that takes no lock by its name: it is left for others to find",
		"pid files of daemons")
)
