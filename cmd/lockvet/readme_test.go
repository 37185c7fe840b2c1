//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/lockvet/lockvet/internal/bundle/safeio"
)

// readmeParts are the finding, the proof, and what stands around them.
var readmeParts = regexp.MustCompile(
	`(?s)^(.*\nWhat lockvet says, on a terminal:\n\n)(.*?\n)(\nWhat .*?:\n\n)(      proven: .*?\n)(\n.*)$`)

// TestReadme runs what the README shows of a finding, as a terminal of 100 columns shows
// it, and of its proof by one of the tests that show it; -update puts that there.
func TestReadme(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("not everything can be proven here")
	}
	const page = "../../README.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	parts := readmeParts.FindStringSubmatch(string(text))
	if parts == nil {
		t.Fatal("the README shows no finding and its proof")
	}
	dir := copySeed(t, "trajindex")
	cmd := exec.Command(buildLockvet(t), "prove", "-C", dir, "-explain", "./...", "--", "-run", "^TestSaveAgain$")
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off",
		"LC_ALL=C.UTF-8", "COLUMNS=100", "NO_COLOR=1")
	out, _ := cmd.Output() // the exit code tells of findings
	finding := regexp.MustCompile(`(?ms)^internal/storage/index\.go:119:.*?\n\n`).FindString(string(out))
	proof := regexp.MustCompile(`(?m)^  proven: .*\n( {10}.*\n)*`).FindString(finding)
	if proof == "" {
		t.Fatalf("the finding of the README is not there, or not proven:\n%s", out)
	}
	indented := func(text string) string { return regexp.MustCompile(`(?m)^.`).ReplaceAllString(text, "    $0") }
	wants := []string{indented(strings.Replace(strings.TrimSuffix(finding, "\n"), proof, "", 1)), indented(proof)}
	if *update {
		updated := parts[1] + wants[0] + parts[3] + wants[1] + parts[5]
		if err := safeio.WriteFile(page, []byte(updated), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	// How large the file is depends on the time of the run, and where a line ends on that.
	sizes := regexp.MustCompile(`[0-9]+( of [0-9]+)? bytes`)
	words := func(text string) string {
		return sizes.ReplaceAllString(strings.Join(strings.Fields(text), " "), "n bytes")
	}
	if shown := parts[2]; shown != wants[0] {
		t.Errorf("the README shows\n%s\nwant\n%s", shown, wants[0])
	}
	if shown := parts[4]; words(shown) != words(wants[1]) {
		t.Errorf("the README shows\n%s\nwant\n%s", shown, wants[1])
	}
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
