package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/finding"
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
		s := Severity(value)
		if s != Error && s != Warning && s != Note {
			return nil, fmt.Errorf("%q is no severity; they are: %s, %s, %s", value, Error, Warning, Note)
		}
		if err := known(name); err != nil {
			return nil, err
		}
		all[name] = s
	}
	return all, nil
}

// known returns an error if a name is neither that of a check nor a category.
func known(name string) error {
	check, _, category := strings.Cut(name, "/")
	for _, c := range analyzer.Catalogue() {
		if c.Name != check {
			continue
		}
		if !category || slices.ContainsFunc(c.Variants, func(v analyzer.Variant) bool { return v.Category == name }) {
			return nil
		}
		var names []string
		for _, v := range c.Variants {
			names = append(names, v.Category)
		}
		return fmt.Errorf("%s has no variant %q; it has: %s", check, name, strings.Join(names, ", "))
	}
	return fmt.Errorf("no check is named %q; the checks are: %s", check, strings.Join(analyzer.Checks(), ", "))
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
