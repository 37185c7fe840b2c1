package racycreate

import (
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/verdict"
)

// maxBelow is how many calls deep in another package the removal of a claim may stand and still be
// reported: see the rule far.
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
	takesOver = rule(verdict.For, "takes-over", "reclaim",
		"the function removes the file because of its age or content, or in any case, and creates it again",
		"principle: of two who take the same thing for stale, one is late")
)

// The rules that speak against one.
var (
	ownLock = rule(verdict.Against, "own-lock", "quiet",
		"the file is locked exclusively before anything is written: whether it exists says nothing, and a lock ends with its process",
		"flock(2): the system releases the lock of a process that died")
	far    = excludes.Far
	locked = excludes.Locked
)
