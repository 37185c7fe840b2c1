package droppedlock

import "github.com/lockvet/lockvet/internal/verdict"

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "droppedlock/" + fixture})
}

// The rules of the check.
var (
	unkept = rule(verdict.For, "unkept", "collected",
		"nothing refers to the open file once the function goes on or returns with the lock",
		"os.File closes what nobody refers to; close(2) releases the lock")
	unchecked = rule(verdict.For, "unchecked", "ignored",
		"the program does not check whether the lock was acquired",
		"flock(2) fails, and tells so by its error alone")

	released = rule(verdict.Against, "released", "quiet",
		"the function releases the lock on every path that succeeds, or has it released by a deferred call, a "+
			"goroutine or something else, and refers to the open file until then",
		"principle: code that releases the lock has kept it until then")
	asksOnly = rule(verdict.Against, "asks-only", "quiet",
		"the name of the function asks whether another process holds the lock: the function does not need it",
		"principle: a question wants no lock")
)
