package clobber

import (
	"github.com/lockvet/lockvet/internal/excludes"
	"github.com/lockvet/lockvet/internal/verdict"
)

func rule(effect verdict.Effect, id, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{
		ID: Name + "/" + id, Effect: effect, Why: why, Source: source, Fixture: "clobber/" + fixture,
	})
}

// The rules of the check, beside those that say whether a file holds state. What becomes of
// the failure on the way to the save is decided in package failure.
var (
	goesOn = rule(verdict.For, "goes-on", "decode",
		"the function cannot load the file, drops the error, and then saves the value that it should have loaded",
		"registries and settings that were emptied after one torn read")
	savedLater = rule(verdict.For, "saved-later", "load",
		"the function drops the error of decoding the file, and another function saves the same memory to the same file",
		"stores whose constructor loads and whose methods save")
	anew = rule(verdict.For, "anew", "anew",
		"the function saves a new value over the file where it fails to decode it, and nowhere else",
		"settings that one bad edit resets: civo/cli, merschformann/gotz, steveyegge/gastown")
	cache     = excludes.Cache
	ofProcess = rule(verdict.Against, "pid-field", "quiet",
		"the loaded value has a process number in a field and no list that the function extends: "+
			"the next process replaces the file",
		"files of daemons that say who runs and where")
	details   = excludes.Details
	onPurpose = rule(verdict.Against, "on-purpose", "quiet",
		"a comment at the call says that this is on purpose: it is about the file, its error or the default value",
		"the author's word")
	toldThere = excludes.ReportedThere
)
