package directive_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/analyzer/directive"
	"github.com/lockvet/lockvet/analyzer/internal/checktest"
)

var check = checktest.Check{Name: directive.Name, Doc: directive.Doc}

// run analyses the fixtures with flags given as name and value in turn.
func run(t analysistest.Testing, fixture string, flags ...string) []*analysistest.Result {
	dir, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Errorf("%v", err)
	}
	a := analyzer.New()
	for i := 0; i < len(flags); i += 2 {
		if err := a.Flags.Set(flags[i], flags[i+1]); err != nil {
			t.Errorf("%v", err)
		}
	}
	return analysistest.Run(t, dir, a, fixture)
}

// TestFixtures checks what is reported, and that each variant is.
func TestFixtures(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range run(checktest.NoFacts{T: t}, "directive/...") {
		for _, d := range r.Diagnostics {
			seen[d.Category] = true
		}
	}
	for _, v := range check.Variants(t) {
		if !seen[v] {
			t.Errorf("no fixture is reported as %s", v)
		}
	}
}

// silent swallows what analysistest says of lines that are not reported.
type silent struct{}

func (silent) Errorf(string, ...any) {}

// TestFlags: what a check that did not run would report is unknown, and a
// directive that nobody listens for answers all the same.
func TestFlags(t *testing.T) {
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
		var messages []string
		for _, r := range run(silent{}, "directive/unheard", test.flag, test.value) {
			for _, d := range r.Diagnostics {
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

// TestAlone: a driver without facts cannot tell that a comment answers for nothing.
func TestAlone(t *testing.T) {
	dir, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	a := analyzer.New()
	a.FactTypes = nil
	reasons := 0
	for _, r := range analysistest.Run(silent{}, dir, a, "directive/unheard") {
		for _, d := range r.Diagnostics {
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
