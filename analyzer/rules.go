package analyzer

import (
	"slices"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// bind gives a finding of a check its candidate: that of its place, unless the check has
// named another. It rates the finding by what is noted of that.
func bind(log *verdict.Log, f *finding.Finding) {
	if f.Verdict == nil {
		f.Verdict = log.Candidate(f.Check, f.Pos, f.Func)
	}
	f.Verdict.Variant, f.Verdict.Reported = f.Variant, true
	state.Rate(f)
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

// IdleCode is the other rule of such drivers.
var IdleCode = verdict.Declare(verdict.Rule{
	ID: "severity/idle", Effect: verdict.Lowers, Fixture: "",
	Why:    "no command of the module calls this code: only programs that import its package could",
	Source: "true reports that their authors would not merge: vbonnet/dear-agent, minio/mc; principle: code that never runs loses nothing",
})
