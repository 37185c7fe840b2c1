//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSARIF reads the log of a seed as a code scanning service would: its files are found
// from the root of the repository, each result has a rule with help, a fingerprint and a
// code flow with a thread flow for each process. That logs follow the published schema is
// tested in tools/e2e.
func TestSARIF(t *testing.T) {
	t.Parallel()
	repo := workDir(t)
	dir := filepath.Join(repo, "some dir")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "testdata", "seeds", "trajindex"))); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", repo).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	name := filepath.Join(repo, "out.sarif")
	if out, status := runSeedTool(t, repo, buildLockvet(t), "-C", dir, "-severity=clobber=warning", "-sarif="+name, "./..."); status != 1 {
		t.Fatalf("status %d\n%s", status, out)
	}
	run := readSARIF(t, name)
	if len(run.Results) == 0 {
		t.Fatal("there are no results")
	}
	seen := map[string]bool{}
	for _, r := range run.Results {
		checkResult(t, repo, run, r)
		print := r.PartialFingerprints["lockvetFinding/v1"]
		if print == "" || seen[print] {
			t.Errorf("%s: the fingerprint %q is not its own", r.RuleID, print)
		}
		seen[print] = true
		if warning := r.Level == "warning"; warning != strings.HasPrefix(r.RuleID, "clobber/") {
			t.Errorf("%s has the level %s", r.RuleID, r.Level)
		}
	}
}

// TestSARIFGaveUp reads the log of a run that had too few steps: it says so in the
// notifications of an invocation that was successful nevertheless.
func TestSARIFGaveUp(t *testing.T) {
	t.Parallel()
	repo := copySeed(t, "trajindex")
	name := filepath.Join(repo, "out.sarif")
	if out, status := runSeedTool(t, repo, buildLockvet(t), "-budget=1", "-sarif="+name, "./..."); status != 0 {
		t.Fatalf("status %d\n%s", status, out)
	}
	run := readSARIF(t, name)
	if n := len(run.Invocations); n != 1 || !run.Invocations[0].ExecutionSuccessful {
		t.Fatalf("%d invocations, want one that was successful", n)
	}
	told := false
	for _, n := range run.Invocations[0].ToolExecutionNotifications {
		if n.Level != "warning" || !strings.Contains(n.Message.Text, ": gave up on ") {
			t.Errorf("notification of the level %q: %s", n.Level, n.Message.Text)
		}
		told = told || len(n.Locations) == 1 && n.Locations[0].LogicalLocations[0].Kind == "function"
	}
	if !told {
		t.Error("no notification tells a function")
	}
}

// What the tests read of a SARIF log, by the names that its specification gives to properties.
type (
	sarifMessage  struct{ Text, Markdown string }
	sarifArtifact struct{ URI string }
	sarifLocation struct {
		Message          sarifMessage
		PhysicalLocation struct {
			ArtifactLocation sarifArtifact
			Region           struct{ StartLine, StartColumn int }
		}
		LogicalLocations []struct{ Kind string }
	}
	sarifResult struct {
		RuleID, Level               string
		PartialFingerprints         map[string]string
		RuleIndex                   *int
		Locations, RelatedLocations []sarifLocation
		CodeFlows                   []struct {
			ThreadFlows []struct {
				ID        string
				Locations []struct {
					Location       sarifLocation
					ExecutionOrder int
				}
			}
		}
		Fixes []struct {
			ArtifactChanges []struct{ ArtifactLocation sarifArtifact }
		}
	}
	sarifRun struct {
		Tool struct {
			Driver struct {
				Rules []struct {
					ID                     string
					ShortDescription, Help sarifMessage
				}
			}
		}
		Results     []sarifResult
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct {
				Level     string
				Message   sarifMessage
				Locations []sarifLocation
			}
		}
	}
)

// readSARIF is the run of a log, which has what would mean something else if it were left
// out: a list of results, and for each the index of its rule, which can be 0.
func readSARIF(t *testing.T, name string) *sarifRun {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var log struct{ Runs []*sarifRun }
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	if len(log.Runs) != 1 || log.Runs[0].Results == nil {
		t.Fatalf("%d runs, want one with a list of results", len(log.Runs))
	}
	for i, r := range log.Runs[0].Results {
		if r.RuleIndex == nil {
			t.Fatalf("result %d has no index of a rule", i)
		}
	}
	return log.Runs[0]
}

func checkResult(t *testing.T, repo string, run *sarifRun, r sarifResult) {
	t.Helper()
	rule := run.Tool.Driver.Rules[*r.RuleIndex]
	if rule.ID != r.RuleID {
		t.Errorf("the rule of %s is %s", r.RuleID, rule.ID)
	}
	if rule.ShortDescription.Text == "" || !strings.Contains(rule.Help.Markdown, "WRONG:") || strings.Contains(rule.Help.Markdown, "{#") {
		t.Errorf("%s has no help, or headings with more than their words:\n%s", r.RuleID, rule.Help.Markdown)
	}
	checkPlace(t, repo, r.Locations[0])
	for _, related := range r.RelatedLocations {
		checkPlace(t, repo, related)
	}
	var actors []string
	var order []int
	for _, thread := range r.CodeFlows[0].ThreadFlows {
		actors = append(actors, thread.ID)
		for _, step := range thread.Locations {
			checkPlace(t, repo, step.Location)
			if !strings.HasPrefix(step.Location.Message.Text, thread.ID) {
				t.Errorf("%s: %q is not a step of %s", r.RuleID, step.Location.Message.Text, thread.ID)
			}
			order = append(order, step.ExecutionOrder)
		}
	}
	slices.Sort(order)
	if len(actors) < 2 || order[0] != 1 || order[len(order)-1] != len(order) {
		t.Errorf("%s: the steps %v of %v are no schedule", r.RuleID, order, actors)
	}
	for _, fix := range r.Fixes {
		for _, change := range fix.ArtifactChanges {
			checkFile(t, repo, change.ArtifactLocation)
		}
	}
}

// checkPlace fails unless the place is one in a file of the repository.
func checkPlace(t *testing.T, repo string, at sarifLocation) {
	t.Helper()
	content := checkFile(t, repo, at.PhysicalLocation.ArtifactLocation)
	lines := strings.Split(content, "\n")
	region := at.PhysicalLocation.Region
	if n := region.StartLine; n < 1 || len(lines) < n || region.StartColumn > len([]rune(lines[n-1]))+1 {
		t.Errorf("line %d, column %d is no place", n, region.StartColumn)
	}
}

func checkFile(t *testing.T, repo string, at sarifArtifact) string {
	t.Helper()
	rest, ok := strings.CutPrefix(at.URI, "some%20dir/")
	content, err := os.ReadFile(filepath.Join(repo, "some dir", rest))
	if !ok || err != nil {
		t.Errorf("%s is no file of the repository", at.URI)
	}
	return string(content)
}
