package state

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A Score is how likely a finding is wanted, from 0 to 1.
type Score float64

// Of is the score of what a check reports, or would report. Only the category and the set of rules that spoke count, and
// not how often or in which order.
func Of(k *verdict.Candidate) Score {
	odds, rules := Base(k), map[string]bool{}
	for _, r := range k.Reasons {
		rules[r.Rule.ID] = true
	}
	for _, id := range slices.Sorted(maps.Keys(rules)) { // in one order, so that the sum is the same to the last bit
		odds += weights[id]
	}
	return Score(1 / (1 + math.Exp(-odds)))
}

// Base are the log-odds of a candidate before any feature counts: those of its category. A category of which too little was
// read to learn them is as its check means it, an error where nothing lowers it; so is what the user declares to be state,
// whatever was learned of other programs.
func Base(k *verdict.Candidate) float64 {
	offset, learned := offsets[k.Category()]
	switch {
	case !learned:
		return unlearned()
	case k.Spoke(marked):
		return max(base+offset, unlearned())
	}
	return base + offset
}

// unlearned are the log-odds of an error that nothing lowers.
func unlearned() float64 { return logit(errorFrom) + margin }

// margin is above the threshold of an error.
const margin = 0.1

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// Severity is what the score means, by thresholds that tools/learn chooses: errors keep nearly all that readers want of
// what were errors by rules, and of the bugs that authors have fixed nine in ten are at least warnings.
func (s Score) Severity() finding.Severity {
	switch {
	case s >= errorFrom:
		return finding.Error
	case s >= warningFrom:
		return finding.Warning
	}
	return finding.Note
}

// FailsBuild reports whether a finding is worth a build that fails, by a driver that knows no severities, such as go vet:
// it is an error, or a warning of a score from which on more than one in ten is wanted.
func FailsBuild(f *finding.Finding) bool {
	if f.Verdict == nil { // a comment for lockvet that has no effect
		return true
	}
	return f.Severity == finding.Error || Of(f.Verdict) >= failFrom
}

// Rounded is the score as it is printed, to a hundredth.
func (s Score) Rounded() float64 { return math.Round(100*float64(s)) / 100 }

// Weight is what a rule adds to the log-odds of the findings that it speaks of; 0 for most rules.
func Weight(r *verdict.Rule) float64 { return weights[r.ID] }

// Rate gives a finding its score and its severity: what an execution of its schedule has shown, or else what the score
// means. It has somebody be asked before the fix of what is no error is made. Whoever notes another feature of the
// candidate, or what an execution shows, rates it again.
func Rate(f *finding.Finding) {
	if f.Verdict != nil {
		s := Of(f.Verdict)
		f.Score, f.Severity = s.Rounded(), cmp.Or(f.Shown, s.Severity())
		f.Verdict.Severity = string(f.Severity)
	} else if f.Shown != "" { // of a comment for lockvet there is no score
		f.Severity = f.Shown
	}
	if f.Severity != finding.Error && f.Asks == "" {
		f.Asks = "it is a " + string(f.Severity)
	}
}
