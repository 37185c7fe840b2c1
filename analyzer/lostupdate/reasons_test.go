package lostupdate_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/analyzer/lostupdate"
	"github.com/lockvet/lockvet/internal/effects"
	"github.com/lockvet/lockvet/internal/evidence"
	"github.com/lockvet/lockvet/internal/failure"
)

// Every reason for silence silences a place in the fixtures that is reported
// without it.
func TestReasons(t *testing.T) {
	pass := &analysis.Analyzer{Name: "reasons", Doc: "each reason is left out once", FactTypes: effects.Facts(), Run: leaveOut}
	said := check.Lines(t, pass)
	for _, name := range lostupdate.Reasons() {
		if !slices.ContainsFunc(said, func(line string) bool { return strings.HasSuffix(line, ": "+name) }) {
			t.Errorf("no fixture is silent because of %q alone", name)
		}
	}
}

// leaveOut reports where the check says more without one of its reasons, in a
// category that is named for it.
func leaveOut(pass *analysis.Pass) (any, error) {
	p := effects.Build(pass, effects.Config{})
	if p == nil {
		return nil, nil
	}
	x := evidence.NewIndex(p, evidence.Options{})
	all := len(lostupdate.Run(p, x))
	for _, name := range lostupdate.Reasons() {
		if found := lostupdate.RunWithout(name, p, x); len(found) > all {
			pass.Report(analysis.Diagnostic{Pos: found[0].Pos, Category: name})
		}
	}
	p.Export(failure.Of(p).Ignores)
	return nil, nil
}
