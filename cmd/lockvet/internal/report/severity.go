package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/finding"
	"github.com/lockvet/lockvet/internal/nearest"
)

// A Severity is how much a finding counts.
type Severity = finding.Severity

// The severities. Only errors make a run fail.
const (
	Error   = finding.Error
	Warning = finding.Warning
	Note    = finding.Note
)

// Severities are the severities of checks and of categories, the latter
// winning. What is not named has the severity that the checks give it.
type Severities map[string]Severity

// ParseSeverities reads a list such as "latelock=warning,tornwrite/nosync=note".
func ParseSeverities(text string) (Severities, error) {
	all := make(Severities)
	for item := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(item), "=")
		if !ok {
			return nil, fmt.Errorf("%q is not of the form check=severity", item)
		}
		if _, err := nearest.Of("severity", value, []string{string(Error), string(Warning), string(Note)}); err != nil {
			return nil, err
		}
		what, names := "check", analyzer.Checks()
		if strings.Contains(name, "/") {
			what, names = "variant", analyzer.Names()
		}
		if _, err := nearest.Of(what, name, names); err != nil {
			return nil, err
		}
		all[name] = Severity(value)
	}
	return all, nil
}

// Of is the severity of a finding: the user's word, or else that of the check.
func (s Severities) Of(f *finding.Finding) Severity { return s.of(f.Category(), f.Severity) }

// OfCategory is the severity of what has a category, where nothing makes less of it.
func (s Severities) OfCategory(category string) Severity { return s.of(category, Error) }

func (s Severities) of(category string, own Severity) Severity {
	check, _, _ := strings.Cut(category, "/")
	for _, name := range []string{category, check} {
		if v, ok := s[name]; ok {
			return v
		}
	}
	return cmp.Or(own, Error)
}

// Counts is how many findings are of each severity, as "2 errors, 1 warning".
func Counts(n map[Severity]int) string {
	var parts []string
	for _, s := range []Severity{Error, Warning, Note} {
		if n[s] > 0 {
			parts = append(parts, Plural(n[s], string(s)))
		}
	}
	return strings.Join(parts, ", ")
}
