package analyzer_test

import (
	"bytes"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// stories check, by check, that a sentence, its schedule and its reasons tell one story.
var stories = map[string]func(*testing.T, *token.FileSet, analysis.Diagnostic){
	"tornwrite":    readerIsShown,
	"earlyrelease": sharersLoseNothing,
	"latelock": func(t *testing.T, fset *token.FileSet, d analysis.Diagnostic) {
		tellsMemory(t, fset, d)
		changeIsShown(t, fset, d)
	},
	"stalesnapshot": tellsMemory,
}

// tellsMemory: the schedule says what memory holds.
func tellsMemory(t *testing.T, fset *token.FileSet, d analysis.Diagnostic) {
	holds := func(r analysis.RelatedInformation) bool { return strings.Contains(r.Message, "; memory holds ") }
	if !slices.ContainsFunc(d.Related, holds) {
		t.Errorf("%s: the schedule does not say what memory holds", fset.Position(d.Pos))
	}
}

// readerIsShown: a reader of whom the sentence speaks stands in the schedule, and no reason
// speaks of a rename where nothing is renamed.
func readerIsShown(t *testing.T, fset *token.FileSet, d analysis.Diagnostic) {
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

// sharersLoseNothing: what is lost by the removal of a lock file is not shown of those who
// share the lock, where others want it for themselves.
func sharersLoseNothing(t *testing.T, fset *token.FileSet, d analysis.Diagnostic) {
	for _, r := range d.Related {
		at := fset.Position(r.Pos)
		if filepath.Base(at.Filename) != "shared.go" || !strings.Contains(r.Message, "process B takes") {
			continue
		}
		src, err := os.ReadFile(at.Filename)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(bytes.Split(src, []byte("\n"))[at.Line-1], []byte("TryLock")) {
			t.Errorf("%s: who shares the lock loses nothing: %s", at, r.Message)
		}
	}
}

// changeIsShown: a change that a helper makes is shown where the helper makes it, and a
// change is no evidence against itself.
func changeIsShown(t *testing.T, fset *token.FileSet, d analysis.Diagnostic) {
	n := -1
	for i, r := range d.Related {
		if strings.Contains(r.Message, " changes ") && !strings.Contains(r.Message, " it under ") {
			n = i // the last one is the change that is reported
		}
	}
	if n < 0 || d.Category == "latelock/unguarded" {
		return
	}
	change := d.Related[n].Pos
	if called := strings.Contains(d.Message, ", in "); called != (d.Pos > change || change >= d.End) {
		t.Errorf("%s: the change stands at %s", fset.Position(d.Pos), fset.Position(change))
	}
	for _, r := range d.Related {
		if strings.Contains(r.Message, " it under ") && r.Pos == change {
			t.Errorf("%s: %q stands at the change itself", fset.Position(d.Pos), r.Message)
		}
	}
}
