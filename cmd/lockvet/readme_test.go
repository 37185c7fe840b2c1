//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/bundle/safeio"
)

// TestReadme runs what the README shows of a finding, as a terminal of 100 columns shows
// it; -update puts that there.
func TestReadme(t *testing.T) {
	t.Parallel()
	const page, before = "../../README.md", "What lockvet says, on a terminal:\n\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), before)
	shown, tail, ok2 := strings.Cut(rest, "\nAfter ")
	if !ok || !ok2 {
		t.Fatal("the README shows no finding")
	}
	dir := copySeed(t, "trajindex")
	cmd := exec.Command(buildLockvet(t), "-C", dir, "-explain", "./...")
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "LC_ALL=C.UTF-8", "COLUMNS=100", "NO_COLOR=1")
	out, _ := cmd.Output() // the exit code tells of findings
	for finding := range strings.SplitSeq(string(out), "\n\n") {
		if !strings.HasPrefix(finding, "internal/storage/index.go:119:") {
			continue
		}
		want := "    " + strings.ReplaceAll(strings.TrimSuffix(finding, "\n"), "\n", "\n    ") + "\n"
		if *update {
			if err := safeio.WriteFile(page, []byte(head+before+want+"\nAfter "+tail), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if shown != want {
			t.Errorf("the README shows\n%s\nwant\n%s", shown, want)
		}
		return
	}
	t.Errorf("the finding of the README is not there:\n%s", out)
}
