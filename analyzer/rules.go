package analyzer

import (
	"slices"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/verdict"
)

// The rules about what the checks have found.
var (
	covered = verdict.Declare(verdict.Rule{
		ID: "report/covered", Effect: verdict.Forbids, Fixture: "trunclock/opens",
		Why:    "another report at the same place, or in the same function, says more about the same mistake",
		Source: "principle: one cause, one report",
	})
	generated = verdict.Declare(verdict.Rule{
		ID: "report/generated", Effect: verdict.Forbids, Fixture: "tornwrite/quiet",
		Why:    "a program wrote this source",
		Source: "https://go.dev/s/generatedcode",
	})
	ignored = verdict.Declare(verdict.Rule{
		ID: "report/ignored", Effect: verdict.Forbids, Fixture: "directive/unheard",
		Why:    "a comment lockvet:ignore with a reason silences it",
		Source: "the user's word",
	})
)

// bind gives a finding of a check its candidate: that of its place, unless the check has
// named another.
func bind(log *verdict.Log, f *finding.Finding) {
	if !log.Keeps() {
		return
	}
	if f.Verdict == nil {
		f.Verdict = log.Candidate(f.Check, f.Pos, f.Func)
	}
	f.Verdict.Variant, f.Verdict.Reported, f.Verdict.Severity = f.Variant, true, string(f.Severity)
}

// silence notes of those findings that are no longer left which rule took them away. It
// returns what is left, which is all where the rule is left out.
func silence(log *verdict.Log, all, left []*finding.Finding, rule *verdict.Rule) []*finding.Finding {
	for _, f := range all {
		switch {
		case slices.Contains(left, f):
		case !log.Asks(rule):
			left = append(left, f)
		case f.Verdict != nil:
			f.Verdict.Says(rule, f.Pos, rule.Why)
			f.Verdict.Reported = false
		}
	}
	return left
}

// DeadCode is the rule of drivers that see whole programs.
var DeadCode = verdict.Declare(verdict.Rule{
	ID: "report/dead-code", Effect: verdict.Forbids, Fixture: "",
	Why:    "no command calls this code, and no public package exports it",
	Source: "principle: code that never runs loses nothing",
})

// IdleCode is the other rule of such drivers.
var IdleCode = verdict.Declare(verdict.Rule{
	ID: "severity/idle", Effect: verdict.Lowers, Fixture: "",
	Why:    "no command of the module calls this code: only programs that import its package could",
	Source: "true reports that their authors would not merge: vbonnet/dear-agent, minio/mc; principle: code that never runs loses nothing",
})

// Excluded is the rule of drivers that read a configuration.
var Excluded = verdict.Declare(verdict.Rule{
	ID: "report/excluded", Effect: verdict.Forbids, Fixture: "",
	Why:    "the configuration excludes the place",
	Source: "principle: a team says once, with a reason, where it wants no reports",
})
