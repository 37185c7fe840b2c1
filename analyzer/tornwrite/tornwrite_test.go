package tornwrite_test

import (
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/analyzer/internal/checktest"
	"github.com/lockvet/lockvet/analyzer/tornwrite"
)

var check = checktest.Check{
	Name: tornwrite.Name, Doc: tornwrite.Doc, Category: category, Diagnostic: told, Goldens: 26,
}

func TestFixtures(t *testing.T) { check.Fixtures(t) }

func TestGoldens(t *testing.T) { check.Fixed(t) }

// category is what a diagnostic is to be of by what its sentence says.
func category(d analysis.Diagnostic) string {
	switch {
	case strings.Contains(d.Message, "saves something else over it"):
		return "clobber/default"
	case strings.Contains(d.Message, "a name that every "):
		return "tornwrite/fixedtemp"
	case strings.Contains(d.Message, "that was never synced"):
		return "tornwrite/nosync"
	case strings.Contains(d.Message, "saves it with no lock"):
		return "lostupdate/unlocked"
	case strings.Contains(d.Message, "without truncating it"):
		return "tornwrite/oldtail"
	default:
		return "tornwrite/inplace"
	}
}

// told checks that the reader of whom a sentence speaks stands in its schedule, and
// that no reason speaks of a rename where nothing is renamed.
func told(t *testing.T, fset *token.FileSet, d analysis.Diagnostic) {
	reads := func(r analysis.RelatedInformation) bool { return strings.Contains(r.Message, "process B reads") }
	if strings.Contains(d.Message, "a reader in between") && !slices.ContainsFunc(d.Related, reads) {
		t.Errorf("%s: nobody reads in the schedule of %q", fset.Position(d.Pos), d.Message)
	}
	for _, r := range d.Related {
		if d.Category == "tornwrite/inplace" && strings.Contains(r.Message, "holds state: ") && strings.Contains(r.Message, "rename") {
			t.Errorf("%s: nothing is renamed, and a reason says so: %s", fset.Position(d.Pos), r.Message)
		}
	}
}

// TestDocumentation checks that every variant that is reported is documented.
func TestDocumentation(t *testing.T) {
	for _, v := range check.Variants(t) {
		if !strings.Contains(strings.Join(ranked(t), " "), strings.TrimPrefix(v, tornwrite.Name+"/")) {
			t.Errorf("%s is documented and never reported", v)
		}
	}
	for _, v := range ranked(t) {
		if !slices.Contains(check.Variants(t), tornwrite.Name+"/"+v) {
			t.Errorf("%s is reported and not documented", v)
		}
	}
}

// ranked reads the variants out of the check's table of ranks.
func ranked(t *testing.T) []string {
	data, err := os.ReadFile("tornwrite.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(data), "var rank = []string{")
	body, _, end := strings.Cut(rest, "}")
	if !ok || !end {
		t.Fatal("the table of ranks is gone")
	}
	var list []string
	for _, m := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(body, -1) {
		list = append(list, m[1])
	}
	return list
}
