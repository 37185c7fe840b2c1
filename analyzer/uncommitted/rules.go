package uncommitted

import (
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/verdict"
)

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "uncommitted/" + fixture})
}

// The rules of the check.
var (
	neverCommitted = rule(verdict.For, "never-committed", "closed",
		"the function has written to a pending file and can succeed, but never calls the method that commits it",
		"the documentation of safeio.File and renameio.PendingFile: closing one discards it; a bug of kardianos/govendor@9f25088")

	committed = rule(verdict.Against, "committed", "quiet",
		"the function commits the file, at least on some paths, or its Close may put it in place",
		"principle: what is committed in some cases is discarded on purpose in others")
	handedOn       = excludes.HandedOn
	nothingWritten = rule(verdict.Against, "nothing-written", "quiet",
		"nothing is written to the file, or the function returns an error on every path on which it has written",
		"principle: an empty file has nothing to lose")
)
