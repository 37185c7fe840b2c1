package analyzer_test

import (
	"fmt"
	"regexp"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/analyzer/internal/checktest"
)

// TestFixtures analyses the fixtures of all checks with all that they import, the
// standard library too, as go vet does. What is reported and how it is fixed is
// the same as where the fixtures alone are analysed, which the tests of the checks
// do. All checks share the one load.
func TestFixtures(t *testing.T) {
	t.Parallel()
	var patterns []string
	for _, name := range analyzer.Checks() {
		patterns = append(patterns, name+"/...")
	}
	results := analysistest.RunWithSuggestedFixes(fixtures{t}, gopath(t), checktest.WithNotes(analyzer.New()), patterns...)
	seen := map[string]bool{}
	for _, r := range results {
		for _, d := range r.Diagnostics {
			seen[d.Category] = true
		}
	}
	for _, c := range analyzer.Catalogue() {
		for _, v := range c.Variants {
			if !seen[v.Category] {
				t.Errorf("no fixture is reported as %s", v.Category)
			}
		}
	}
}

// fixtures takes out of what analysistest compares the facts, which every exported
// function of a fixture has and which are tested where they are made, and the
// golden files of the check of directives, which fixes nothing itself.
type fixtures struct{ *testing.T }

var notCompared = regexp.MustCompile(`unexpected fact: |^error reading \S*/src/directive/\S*\.golden: `)

func (t fixtures) Errorf(format string, args ...any) {
	t.Helper()
	if msg := fmt.Sprintf(format, args...); !notCompared.MatchString(msg) {
		t.Error(msg)
	}
}
