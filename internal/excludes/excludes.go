// Package excludes is the table of vetoes that several checks share: rules that say why
// a place is right, whatever speaks for a report. A check tests the condition where it
// has what that takes; the rule, its reason and its fixture stand here once.
package excludes

import "github.com/lockvet/lockvet/internal/verdict"

// Vetoes about the file.
var (
	// FreshPlace: nobody else knows the place.
	FreshPlace = veto("fresh-place", verdict.Forbids, "tornwrite/quiet",
		"the file is in a directory that is created for this run, or has a name that nothing else uses",
		"os.MkdirTemp, os.CreateTemp; staging directories in the clean places")
	// OwnName: no two writers meet at the name.
	OwnName = veto("own-name", verdict.Forbids, "tornappend/quiet",
		"the name is random or contains the process number: no other process writes this file",
		"content stores and spools in the clean places")
	// Chosen: the file is the output of a command.
	Chosen = veto("chosen", verdict.Against, "tornwrite/quiet",
		"the user names the file for this run: it is the output of a command",
		"outputs of commands in the sample of write sites")
	// Cache: the content can be had again.
	Cache = veto("cache", verdict.Against, "lostupdate/quiet",
		"a whole word of the name, place or type says that the file is a cache, and not one of tokens: its content can be recreated",
		"principle: what can be recreated is not lost")
	// Details: no old content is saved again.
	Details = veto("details", verdict.Against, "lostupdate/quiet",
		"the function takes only texts and numbers from what the helper decodes: it does not save changed old content",
		"a description that another description was asked for: cli/cli")
)

// Vetoes about locks, calls and packages.
var (
	// Locked: no other process is at work on the file.
	Locked = veto("locked", verdict.Against, "tornwrite/lockfn",
		"on every path the function or its callers hold a lock between processes that may be the one for the file",
		"flock(2); writers under an exclusive lock in the clean places")
	// HandedOn: what follows is not seen.
	HandedOn = veto("handed-on", verdict.Against, "uncommitted/quiet",
		"code that lockvet cannot see has the open file, or the function returns with it",
		"principle: an effect that cannot be resolved ends the reasoning")
	// Far: the other end has a purpose of its own.
	Far = veto("far", verdict.Against, "lostupdate/quiet",
		"the other half of the mistake is in a deferred call, or more than a few calls away and in no method of the same type: "+
			"those functions have a purpose of their own",
		"false reports on steveyegge/gastown and asheshgoplani/agent-deck; principle: what happens far below is not followed")
	// ReportedThere: one mistake is reported once.
	ReportedThere = veto("reported-there", verdict.Against, "tornwrite/acrosspkg/agents",
		"the mistake is in another package of the program, and is reported there",
		"principle: one cause, one report")
)

// Vetoes about the place of a report, whatever the check.
var (
	// Generated: nobody edits the source.
	Generated = veto("generated", verdict.Forbids, "tornwrite/quiet",
		"a program wrote this source",
		"https://go.dev/s/generatedcode")
	// Covered: one mistake is reported once.
	Covered = veto("covered", verdict.Forbids, "trunclock/opens",
		"another report at the same place says more about the same mistake",
		"principle: one cause, one report")
	// Ignored: somebody answers for it.
	Ignored = veto("ignored", verdict.Forbids, "directive/unheard",
		"a comment lockvet:ignore with a reason silences it",
		"the user's word")
	// Configured: a team answers for it. Drivers that read a configuration ask.
	Configured = veto("configured", verdict.Forbids, "",
		"the configuration excludes the place",
		"principle: a team says once, with a reason, where it wants no reports")
	// DeadCode: it never runs. Drivers that see whole programs ask.
	DeadCode = veto("dead-code", verdict.Forbids, "",
		"no command calls this code, and no public package exports it",
		"principle: code that never runs loses nothing")
)

func veto(name string, effect verdict.Effect, fixture, why, source string) *verdict.Rule {
	return verdict.Declare(verdict.Rule{ID: "exclude/" + name, Effect: effect, Why: why, Source: source, Fixture: fixture})
}
