package report

import (
	"bytes"
	"fmt"
	"go/token"
	"io"
	"math"

	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/printable"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// The verdicts of candidates.
const (
	Reported = "reported"
	Silent   = "silent"
)

// A Candidate is a place that a check has looked at, and what came of it.
type Candidate struct {
	Check    string `json:"check"`
	Category string `json:"category"`
	// Verdict is Reported or Silent; Severity is that of a report, and empty otherwise.
	Verdict  string   `json:"verdict"`
	Severity Severity `json:"severity,omitempty"`
	// Score is how likely a maintainer wants what is reported fixed, from 0 to 1.
	Score float64 `json:"score,omitempty"`
	// Base is the log-odds that the score begins with, those of the category. The weight of each rule that spoke is
	// added to it once.
	Base float64 `json:"base,omitempty"`
	Pos  *Pos    `json:"pos"`
	Func string  `json:"func"`
	// Rules are those that spoke, the deciding one first.
	Rules []Spoken `json:"rules"`
}

// A Spoken is a rule that spoke of a candidate.
type Spoken struct {
	ID     string         `json:"id"`
	Effect verdict.Effect `json:"effect"`
	// Weight is what it adds to the log-odds of the score; 0 for a rule that only decides whether there is a report.
	Weight float64 `json:"weight,omitempty"`
	Why    string  `json:"why"`
	// Pos is where it saw that; nil where it has no place in the package.
	Pos *Pos `json:"pos"`
}

// Candidates describes what checks have looked at, with the places in it as names and
// numbers.
func (p Printer) Candidates(fset *token.FileSet, all []*verdict.Candidate) []Candidate {
	list := []Candidate{}
	for _, c := range all {
		d := Candidate{Check: c.Check, Category: c.Category(), Verdict: Silent, Pos: p.pos(fset, c.Pos), Func: c.Func, Rules: p.rules(fset, c)}
		if c.Reported {
			d.Score, d.Base = state.Of(c).Rounded(), math.Round(1000*state.Base(c))/1000
			d.Verdict, d.Severity = Reported, p.Severities.Of(&finding.Finding{Check: c.Check, Variant: c.Variant, Severity: finding.Severity(c.Severity)})
		}
		list = append(list, d)
	}
	return list
}

// rules describes the rules that spoke of a candidate.
func (p Printer) rules(fset *token.FileSet, c *verdict.Candidate) []Spoken {
	list := []Spoken{}
	for _, r := range c.Reasons {
		why := r.Text
		if why == "" {
			why = r.Rule.Why
		}
		list = append(list, Spoken{r.Rule.ID, r.Rule.Effect, state.Weight(r.Rule), printable.Text(why), p.pos(fset, r.Pos)})
	}
	return list
}

// CandidatesText writes candidates for a person: place, category, verdict, and below it the
// rules, for a terminal of so many columns.
func CandidatesText(w io.Writer, all []Candidate, columns int) error {
	var out bytes.Buffer
	for i, c := range all {
		if i > 0 {
			out.WriteByte('\n')
		}
		how := c.Verdict
		if c.Severity != "" {
			how += fmt.Sprintf(", %s, score %.2f", c.Severity, c.Score)
		}
		fmt.Fprintf(&out, "%s: %s: %s\n", written(c.Pos), printable.Text(c.Category), how)
		counted := map[string]bool{}
		for _, r := range c.Rules {
			fmt.Fprintf(&out, "\trule %s: %s", r.ID, printable.Text(r.Why))
			if r.Weight != 0 && c.Severity != "" && !counted[r.ID] {
				counted[r.ID] = true
				fmt.Fprintf(&out, " (%+.2f)", r.Weight)
			}
			if r.Pos != nil && *r.Pos != *c.Pos {
				fmt.Fprintf(&out, ", %s", written(r.Pos))
			}
			out.WriteByte('\n')
		}
		if c.Severity != "" {
			fmt.Fprintf(&out, "\tscore %.2f: the log-odds of the category, %+.2f, and the numbers above\n", c.Score, c.Base)
		}
		if len(c.Rules) == 0 {
			fmt.Fprintf(&out, "\tno rule spoke: nothing says that there is this mistake\n")
		}
	}
	_, err := io.WriteString(w, Fold(out.String(), columns, 2))
	return err
}

func written(p *Pos) string { return printable.Text(p.String()) }
