package analyzer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/lockvet/lockvet/analyzer"
	"github.com/lockvet/lockvet/internal/state"
	"github.com/lockvet/lockvet/internal/verdict"
)

// fixed are the rules that nothing would be left to say without: of what has no path there
// is nothing to report, and a pass sees one package. They have no fixture.
var fixed = []string{
	"state/no-path",
	"state/too-little",
	"tornwrite/done-right",
	"stalesnapshot/unchanged",
	"exclude/dead-code",
	"exclude/configured",
	"severity/idle",
}

// TestRules: each rule says why it is one and where it comes from, and there is a fixture
// with other findings where it is left out.
func TestRules(t *testing.T) {
	t.Parallel()
	byPath := map[string]*packages.Package{}
	var all []*packages.Package
	for _, p := range load(t, false, "./src/...") {
		byPath[p.PkgPath] = p
		all = append(all, p)
	}
	plain := map[string][]string{}
	for _, r := range verdict.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			if group, name, ok := strings.Cut(r.ID, "/"); !ok || group == "" || name == "" || strings.ToLower(r.ID) != r.ID {
				t.Error("its name is not of the form group/name")
			}
			switch r.Effect {
			case verdict.For, verdict.Against, verdict.Forbids, verdict.Lowers:
			default:
				t.Errorf("its effect is %q", r.Effect)
			}
			for field, text := range map[string]string{"Why": r.Why, "Source": r.Source} {
				if len(text) < 5 || strings.HasSuffix(text, ".") || strings.Contains(text, "\n") {
					t.Errorf("%s is %q", field, text)
				}
			}
			if slices.Contains(fixed, r.ID) {
				return
			}
			differs := func(path string) bool {
				list := []*packages.Package{byPath[path]}
				if plain[path] == nil {
					plain[path] = append(findings(t, list), "")
				}
				return !slices.Equal(plain[path], append(findings(t, list, "without", r.ID), ""))
			}
			if byPath[r.Fixture] == nil {
				t.Errorf("its fixture %q is none", r.Fixture)
			} else if differs(r.Fixture) {
				return
			}
			var others []string
			if os.Getenv("LOCKVET_SEARCH") != "" {
				for _, p := range all {
					if differs(p.PkgPath) {
						others = append(others, p.PkgPath)
					}
				}
			}
			t.Errorf("without it the findings of %q are the same; others: %s", r.Fixture, strings.Join(others, " "))
		})
	}
}

// findings lists what is reported of packages, with the scores.
func findings(t *testing.T, pkgs []*packages.Package, flags ...string) (list []string) {
	for _, act := range run(t, pkgs, flags...).Roots {
		for _, f := range act.Result.(*analyzer.Result).Findings {
			at := act.Package.Fset.Position(f.Pos)
			var score state.Score
			if f.Verdict != nil {
				score = state.Of(f.Verdict)
			}
			list = append(list, fmt.Sprintf("%s: %s %.4f: %s %s", filepath.Base(at.Filename), f.Category(), score, f.Sentence, f.NoFix))
		}
	}
	slices.Sort(list)
	return list
}

// TestScoresKept: that a driver keeps what is not reported changes neither findings nor scores.
func TestScoresKept(t *testing.T) {
	t.Parallel()
	pkgs := load(t, false, "./src/...")
	plain, kept := findings(t, pkgs), findings(t, pkgs, "candidates", "true")
	if len(plain) < 100 {
		t.Fatalf("%d findings are too few to tell", len(plain))
	}
	for i := range max(len(plain), len(kept)) {
		if i >= len(plain) || i >= len(kept) || plain[i] != kept[i] {
			t.Fatalf("plain %d and kept %d: first\n%s\nand\n%s", len(plain), len(kept), at(plain, i), at(kept, i))
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}
