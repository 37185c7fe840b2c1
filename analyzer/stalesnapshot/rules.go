package stalesnapshot

import (
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/verdict"
)

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{
		ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "stalesnapshot/" + fixture,
	})
}

// What shows that an older state can be written last.
var (
	changed = rule(verdict.For, "changes", "copied",
		"the function, or one that calls it, changes the state under the lock; or it is named for saving what others change",
		"principle; stores whose users call Save")
)

// What says that none can.
var (
	locked  = excludes.Locked
	ordered = rule(verdict.Against, "versions", "quiet",
		"the number of a change is compared with another on the way to the write: an older state is not written then",
		"principle: what is compared is not overtaken; stores that count their changes")
	alias = rule(verdict.Against, "alias", "quiet",
		"the value that is read under the lock is no copy: the state at the time of the write is written",
		"principle")
	far     = excludes.Far
	anyFile = rule(verdict.Against, "any-file", "quiet",
		"the file is a parameter, chosen by the user, new each time or one of several: two saves may write two files",
		"principle: an effect that cannot be resolved ends the reasoning")
)
