package earlyrelease_test

import (
	"bytes"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/lockvet/lockvet/analyzer/earlyrelease"
	"github.com/lockvet/lockvet/analyzer/internal/checktest"
)

var check = checktest.Check{Name: earlyrelease.Name, Doc: earlyrelease.Doc, Goldens: 4, Diagnostic: noReaders}

func TestFixtures(t *testing.T) { check.Fixtures(t) }

func TestGoldens(t *testing.T) { check.Fixed(t) }

// noReaders checks that what is lost by the removal of a lock file is not shown
// of those who share the lock, where others want it for themselves.
func noReaders(t *testing.T, fset *token.FileSet, d analysis.Diagnostic) {
	for _, r := range d.Related {
		at := fset.Position(r.Pos)
		src, err := os.ReadFile(at.Filename)
		if err != nil {
			t.Fatal(err)
		}
		line := bytes.Split(src, []byte("\n"))[at.Line-1]
		if filepath.Base(at.Filename) == "shared.go" && strings.Contains(r.Message, "process B takes") && !bytes.Contains(line, []byte("TryLock")) {
			t.Errorf("%s: who shares the lock loses nothing: %s", at, r.Message)
		}
	}
}
