package trunclock

import (
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/verdict"
)

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "trunclock/" + fixture})
}

// The rules of the check, beside those that say whether a file holds state.
var (
	written = rule(verdict.For, "written-under-lock", "kept",
		"the program writes the file under the lock: the content that the holder has written can be lost",
		"a bug of steveyegge/gastown@a3f0f35")

	freshPlace = excludes.FreshPlace
	renamed    = rule(verdict.Against, "renamed", "quiet",
		"the file is renamed after it is truncated: the check tornwrite decides about it",
		"principle: one cause, one report")
	locked = excludes.Locked
)
