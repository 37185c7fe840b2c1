package analyzer_test

import (
	"testing"

	"github.com/lockvet/lockvet/analyzer"
)

// TestPlaces: whatever a check looks at has a place, for lockvet why and -all.
func TestPlaces(t *testing.T) {
	t.Parallel()
	n := 0
	for _, act := range run(t, load(t, false, "./src/..."), "candidates", "true").Roots {
		for _, c := range act.Result.(*analyzer.Result).Candidates {
			if n++; !c.Pos.IsValid() {
				t.Errorf("%s: %s in %s has no place", act.Package.PkgPath, c.Category(), c.Func)
			}
		}
	}
	if n == 0 {
		t.Error("nothing was looked at")
	}
}
