//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
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
	shown, tail, ok2 := strings.Cut(rest, "\nWhat ")
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
			if err := safeio.WriteFile(page, []byte(head+before+want+"\nWhat "+tail), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if shown != want {
			t.Errorf("the README shows\n%s\nwant\n%s", shown, want)
		}
		return
	}
	t.Errorf("the finding of the README is not there:\n%s", out)
}

// TestSeedsTable counts what lockvet and go vet find in the seeds, which their page says.
func TestSeedsTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../testdata/seeds/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)`: [^|]* \\| (\\d+) \\| (\\d+) \\|").FindAllStringSubmatch(string(text), -1)
	if len(rows) != 5 {
		t.Fatalf("the table has %d programs", len(rows))
	}
	for _, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			dir := copySeed(t, row[1])
			out, _ := runSeedTool(t, dir, buildLockvet(t), "-format", "short", "./...")
			if n := len(regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: `).FindAllString(out, -1)); row[2] != fmt.Sprint(n) {
				t.Errorf("%s: lockvet finds %d, the page says %s", row[1], n, row[2])
			}
			if out, status := runSeedTool(t, dir, "go", "vet", "./..."); status != 0 || row[3] != "0" {
				t.Errorf("%s: go vet ends with %d, the page says %s:\n%s", row[1], status, row[3], out)
			}
		})
	}
}
