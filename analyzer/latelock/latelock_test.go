package latelock_test

import (
	"go/token"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/analyzer/internal/checktest"
	"github.com/lockvet/lockvet/analyzer/latelock"
)

var check = checktest.Check{Name: latelock.Name, Doc: latelock.Doc, Diagnostic: explained, Memory: true, Goldens: 3}

func TestFixtures(t *testing.T) { check.Fixtures(t) }

func TestGoldens(t *testing.T) { check.Fixed(t) }

// explained checks that a change which a helper makes is shown where the helper
// makes it, and that a change is no evidence against itself.
func explained(t *testing.T, fset *token.FileSet, d analysis.Diagnostic) {
	at := fset.Position(d.Pos)
	n := -1
	for i, r := range d.Related {
		if strings.Contains(r.Message, " changes ") && !strings.Contains(r.Message, " it under ") {
			n = i // the last one is the change that is reported
		}
	}
	if n < 0 || strings.HasSuffix(d.Category, "/escaped") || strings.HasSuffix(d.Category, "/look") || strings.HasSuffix(d.Category, "/unguarded") {
		return
	}
	change := d.Related[n].Pos
	if called := strings.Contains(d.Message, ", in "); called != (d.Pos > change || change >= d.End) {
		t.Errorf("%s: the change stands at %s", at, fset.Position(change))
	}
	for _, r := range d.Related {
		if strings.Contains(r.Message, " it under ") && r.Pos == change {
			t.Errorf("%s: %q stands at the change itself", at, r.Message)
		}
	}
}
