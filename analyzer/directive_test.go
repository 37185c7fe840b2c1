package analyzer_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
)

// unheard loads the fixture of comments that depend on who listens.
func unheard(t *testing.T) []*packages.Package {
	return load(t, true, "directive/unheard")
}

// TestDirectiveFlags: what a check that did not run would report is unknown, and a
// directive that nobody listens for answers all the same.
func TestDirectiveFlags(t *testing.T) {
	pkgs := unheard(t)
	for _, test := range []struct {
		flag, value string
		not, still  string
	}{
		{"disable", "latelock", "latelock reports nothing", "tornwrite reports nothing"},
		{"disable", "directive", "reports nothing", "saveState truncates"},
		{"disable", "directive", "saveIndex", "saveState truncates"},
		{"tests", "false", "earlyrelease", "tornwrite reports nothing"},
		{"tests", "true", "saveIndex", "earlyrelease reports nothing"},
	} {
		a := analyzer.New()
		if err := a.Flags.Set(test.flag, test.value); err != nil {
			t.Fatal(err)
		}
		var messages []string
		for _, act := range analyseWith(t, a, pkgs).Roots {
			for _, d := range act.Diagnostics {
				messages = append(messages, d.Message)
			}
		}
		has := func(part string) bool {
			return slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, part) })
		}
		if has(test.not) || !has(test.still) {
			t.Errorf("-%s=%s: %s", test.flag, test.value, strings.Join(messages, "\n"))
		}
	}
}

// TestDirectiveAlone: a driver without facts cannot tell that a comment answers for nothing.
func TestDirectiveAlone(t *testing.T) {
	a := analyzer.New()
	a.FactTypes = nil
	reasons := 0
	for _, act := range analyseWith(t, a, unheard(t)).Roots {
		for _, d := range act.Diagnostics {
			switch d.Category {
			case "directive/unused":
				t.Error(d.Message)
			case "directive/reason":
				reasons++
			}
		}
	}
	if reasons == 0 {
		t.Error("no directive is judged")
	}
}
