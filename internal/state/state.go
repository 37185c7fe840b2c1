// Package state says how likely it is that a maintainer wants a finding fixed. The features of a finding are the rules
// that spoke for it, and those that say that less is lost; what each is worth is not set by hand but fitted to
// labelled findings of public programs, by tools/learn. Whether a finding is true is none of its concern: what makes
// it untrue is a veto, which is neither learned nor outweighed.
package state

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A Term is what a feature adds to the log-odds of a finding.
type Term struct {
	// Feature is the ID of a rule; Weight is negative where it speaks against the finding.
	Feature string
	Weight  float64
}

// A Score is how likely a finding is wanted, and why.
type Score struct {
	// Chance is between 0 and 1.
	Chance float64
	// Base are the log-odds of a finding of its category without any feature.
	Base float64
	// Terms are the features that have a weight, the heaviest first.
	Terms []Term
}

// Of is the score of what a check reports, or would report. Only the category and the set of rules that spoke count,
// and not how often or in which order.
func Of(k *verdict.Candidate) Score {
	s := Score{Base: baseOf(k.Category())}
	for _, r := range k.Reasons {
		if r.Rule.ID == declared {
			s.Base = max(s.Base, unlearned())
		}
		t := Term{r.Rule.ID, weights[r.Rule.ID]}
		if t.Weight != 0 && !slices.Contains(s.Terms, t) {
			s.Terms = append(s.Terms, t)
		}
	}
	slices.SortFunc(s.Terms, func(a, b Term) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)), strings.Compare(a.Feature, b.Feature))
	})
	odds := s.Base
	for _, t := range s.Terms {
		odds += t.Weight
	}
	s.Chance = 1 / (1 + math.Exp(-odds))
	return s
}

// baseOf are the log-odds of a category without any feature. A category of which too little was read to learn them is
// as its check means it, an error where nothing lowers it.
func baseOf(category string) float64 {
	if offset, learned := offsets[category]; learned {
		return base + offset
	}
	return unlearned()
}

// declared is the rule that the user says what the file is: nothing that was learned of other programs outweighs that.
const declared = "state/declared"

// unlearned are the log-odds of an error that nothing lowers.
func unlearned() float64 { return logit(errorFrom) + margin }

// margin is above the threshold of an error.
const margin = 0.1

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// Severity is what the chance means: the cross-validated precision of errors is at least four fifths, and of what is a
// note at most one in five is wanted.
func (s Score) Severity() finding.Severity {
	switch {
	case s.Chance >= errorFrom:
		return finding.Error
	case s.Chance >= warningFrom:
		return finding.Warning
	}
	return finding.Note
}

// Rounded is the chance as it is printed, to a hundredth.
func (s Score) Rounded() float64 { return math.Round(100*s.Chance) / 100 }

// Weight is what a rule adds to the log-odds of the findings that it speaks of; 0 for most rules.
func Weight(r *verdict.Rule) float64 { return weights[r.ID] }

// Rate gives a finding its score and its severity, and has somebody be asked before the fix of what is no error is
// made. It is the only place that does: whoever notes another feature of the candidate of a finding rates it again.
func Rate(f *finding.Finding) {
	s := Of(f.Verdict)
	f.Score, f.Severity = s.Rounded(), s.Severity()
	f.Verdict.Severity = string(f.Severity)
	if f.Severity != finding.Error && f.Asks == "" {
		f.Asks = "it is a " + string(f.Severity)
	}
}
