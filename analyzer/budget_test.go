package analyzer_test

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/internal/srctest"
)

// TestBudget analyses the hard programs with 1, 2, 4, 8 … steps, until these are enough,
// and the fixtures that are a package of their own with 1, 8, 64 …. However few they are,
// the analysis ends. It reports what it reports without the checks that it gave up on,
// and says so of them.
func TestBudget(t *testing.T) {
	t.Parallel()
	for pattern, factor := range map[string]int{"../testdata/hard/*": 2, "../testdata/src/*/*": 8} {
		dirs, err := filepath.Glob(pattern)
		if err != nil || len(dirs) < 19 {
			t.Fatalf("%d packages, %v", len(dirs), err)
		}
		for _, dir := range dirs {
			files, err := srctest.Sources(dir)
			if err != nil || len(files) == 0 {
				continue
			}
			path := "example.com/agent/" + filepath.Base(dir)
			pass, err := srctest.New().CheckFiles(path, files)
			if err != nil {
				continue // it imports other fixtures
			}
			t.Run(strings.TrimPrefix(dir, "../testdata/"), func(t *testing.T) { testBudget(t, *pass, files, factor) })
		}
	}
}

func testBudget(t *testing.T, pass analysis.Pass, files []srctest.File, factor int) {
	all := analysePass(t, pass, files)
	without := map[string][]string{"": all.lines()}
	for steps := 1; steps/factor <= all.result.Steps; steps *= factor {
		r := analysePass(t, pass, files, "budget", strconv.Itoa(steps))
		if all.result.Steps <= steps && !slices.Equal(r.result.GaveUp, all.result.GaveUp) {
			t.Errorf("with %d steps, which are %d more than it takes, it gave up on %v, and else on %v", steps, steps-all.result.Steps, r.result.GaveUp, all.result.GaveUp)
		}
		if steps == 1 && all.result.Steps > 1 && len(r.result.GaveUp) == 0 {
			t.Error("with one step it gave up on nothing")
		}
		cut := r.checksGivenUp()
		if without[cut] == nil {
			without[cut] = analysePass(t, pass, files, "disable", cut).lines()
		}
		if got, want := r.lines(), without[cut]; !slices.Equal(got, want) {
			t.Errorf("with %d steps it gave up on the checks %q and reports %v, want %v", steps, cut, got, want)
		}
	}
}

// checksGivenUp names the checks that the analysis says it gave up on.
func (r *report) checksGivenUp() string {
	for _, g := range r.result.GaveUp {
		if list, ok := strings.CutPrefix(g.Question, "the checks "); ok {
			return list
		}
	}
	return ""
}
