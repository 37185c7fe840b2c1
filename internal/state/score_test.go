package state

import (
	"go/token"
	"math"
	"testing"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/verdict"
)

// unweighted is a rule without a weight.
var unweighted = verdict.Declare(verdict.Rule{ID: "test/other", Effect: verdict.For})

func candidate(category string, rules ...*verdict.Rule) *verdict.Candidate {
	check, variant := category, ""
	for i, r := range category {
		if r == '/' {
			check, variant = category[:i], category[i+1:]
		}
	}
	k := verdict.NewLog(false, nil).Candidate(check, token.Pos(1), "f").Is(variant)
	for _, r := range rules {
		k.Says(r, token.Pos(2), "because")
	}
	return k
}

// TestScore: features that speak for a finding raise its score, those against it lower it; the order and the number of
// times that they speak do not matter, nor what has no weight.
func TestScore(t *testing.T) {
	const c = "tornwrite/inplace"
	bare := Of(candidate(c))
	one, two := Of(candidate(c, encoded)), Of(candidate(c, encoded, loader))
	if !(bare < one && one < two) {
		t.Errorf("%.3f, %.3f, %.3f do not grow", bare, one, two)
	}
	if less := Of(candidate(c, encoded, OneWriter)); less >= bare {
		t.Errorf("%.3f is not below %.3f", less, bare)
	}
	k := candidate(c, unweighted, loader, encoded)
	k.Says(encoded, token.Pos(9), "elsewhere")
	if s := Of(k); s != two {
		t.Errorf("%v, want %v", s, two)
	}
}

// TestBase: the base and the weights add up to the score, as lockvet why prints them.
func TestBase(t *testing.T) {
	for _, k := range []*verdict.Candidate{
		candidate("tornwrite/inplace"),
		candidate("tornwrite/inplace", encoded, loader, OneWriter),
		candidate("lostupdate/unlocked", marked, encoded),
		candidate("unread/variant", loader),
	} {
		odds := Base(k)
		for _, r := range k.Reasons {
			odds += Weight(r.Rule)
		}
		if got := float64(Of(k)); math.Abs(logit(got)-odds) > 1e-9 {
			t.Errorf("%s %v: score %.3f, and the log-odds add up to %.3f", k.Category(), k.Reasons, got, odds)
		}
	}
}

// TestSeverity: what nobody has read enough of is an error unless something lowers it, as is what the user declares.
func TestSeverity(t *testing.T) {
	for _, test := range []struct {
		k    *verdict.Candidate
		want finding.Severity
	}{
		{candidate("unread/variant"), finding.Error},
		{candidate("unread/variant", OneWriter), finding.Warning},
		{candidate("tornwrite/inplace"), finding.Warning},
		{candidate("tornwrite/inplace", OneWriter), finding.Note},
		{candidate("tornwrite/inplace", encoded), finding.Warning},
		{candidate("tornwrite/inplace", encoded, loader), finding.Error},
		{candidate("tornwrite/inplace", marked), finding.Error},
	} {
		f := &finding.Finding{Verdict: test.k}
		Rate(f)
		if f.Severity != test.want || test.k.Severity != string(test.want) || (f.Asks == "") != (test.want == finding.Error) {
			t.Errorf("%s %v: %s %.2f %q, want %s", test.k.Category(), test.k.Reasons, f.Severity, f.Score, f.Asks, test.want)
		}
	}
}
