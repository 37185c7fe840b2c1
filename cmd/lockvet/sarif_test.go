//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// TestSARIF reads the log of a seed as a code scanning service would: it follows
// the published schema, its files are found from the root of the repository,
// each result has a rule with help, a fingerprint and a code flow with a thread
// flow for each process.
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
	valid(t, name)
	log, err := sarif.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) == 0 {
		t.Fatal("there are no results")
	}
	seen := map[string]bool{}
	for _, r := range run.Results {
		checkResult(t, repo, run, r)
		print := r.PartialFingerprints["lockvetFinding/v1"]
		if print == "" || seen[print] {
			t.Errorf("%s: the fingerprint %q is not its own", *r.RuleID, print)
		}
		seen[print] = true
		if warning := r.Level == "warning"; warning != strings.HasPrefix(*r.RuleID, "clobber/") {
			t.Errorf("%s has the level %s", *r.RuleID, r.Level)
		}
	}
}

// TestSARIFGaveUp reads the log of a run that had too few steps: it follows the schema,
// and says so in the notifications of an invocation that was successful nevertheless.
func TestSARIFGaveUp(t *testing.T) {
	t.Parallel()
	repo := copySeed(t, "trajindex")
	name := filepath.Join(repo, "out.sarif")
	if out, status := runSeedTool(t, repo, buildLockvet(t), "-budget=1", "-sarif="+name, "./..."); status != 0 {
		t.Fatalf("status %d\n%s", status, out)
	}
	valid(t, name)
	log, err := sarif.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(log.Runs[0].Invocations); n != 1 || !*log.Runs[0].Invocations[0].ExecutionSuccessful {
		t.Fatalf("%d invocations, want one that was successful", n)
	}
	told := false
	for _, n := range log.Runs[0].Invocations[0].ToolExecutionNotifications {
		if n.Level != "warning" || !strings.Contains(*n.Message.Text, ": gave up on ") {
			t.Errorf("notification of the level %q: %s", n.Level, *n.Message.Text)
		}
		told = told || len(n.Locations) == 1 && *n.Locations[0].LogicalLocations[0].Kind == "function"
	}
	if !told {
		t.Error("no notification tells a function")
	}
}

// valid checks a log by the published schema.
func valid(t *testing.T, name string) {
	t.Helper()
	log, err := sarif.Open(name)
	if err == nil {
		err = log.Validate()
	}
	if err != nil {
		t.Errorf("the log is not valid: %v", err)
	}
}

func checkResult(t *testing.T, repo string, run *sarif.Run, r *sarif.Result) {
	t.Helper()
	rule := run.Tool.Driver.Rules[run.GetRuleIndex(*r.RuleID)]
	if *rule.ShortDescription.Text == "" || !strings.Contains(*rule.Help.Markdown, "WRONG:") || strings.Contains(*rule.Help.Markdown, "{#") {
		t.Errorf("%s has no help, or headings with more than their words:\n%s", *r.RuleID, *rule.Help.Markdown)
	}
	checkPlace(t, repo, r.Locations[0])
	for _, related := range r.RelatedLocations {
		checkPlace(t, repo, related)
	}
	var actors []string
	var order []int
	for _, thread := range r.CodeFlows[0].ThreadFlows {
		actors = append(actors, *thread.ID)
		for _, step := range thread.Locations {
			checkPlace(t, repo, step.Location)
			if !strings.HasPrefix(*step.Location.Message.Text, *thread.ID) {
				t.Errorf("%s: %q is not a step of %s", *r.RuleID, *step.Location.Message.Text, *thread.ID)
			}
			order = append(order, step.ExecutionOrder)
		}
	}
	slices.Sort(order)
	if len(actors) < 2 || order[0] != 1 || order[len(order)-1] != len(order) {
		t.Errorf("%s: the steps %v of %v are no schedule", *r.RuleID, order, actors)
	}
	for _, fix := range r.Fixes {
		for _, change := range fix.ArtifactChanges {
			checkFile(t, repo, change.ArtifactLocation)
		}
	}
}

// checkPlace fails unless the place is one in a file of the repository.
func checkPlace(t *testing.T, repo string, at *sarif.Location) {
	t.Helper()
	content := checkFile(t, repo, at.PhysicalLocation.ArtifactLocation)
	lines := strings.Split(content, "\n")
	region := at.PhysicalLocation.Region
	if n := *region.StartLine; n < 1 || len(lines) < n || *region.StartColumn > len([]rune(lines[n-1]))+1 {
		t.Errorf("line %d, column %d is no place", n, *region.StartColumn)
	}
}

func checkFile(t *testing.T, repo string, at *sarif.ArtifactLocation) string {
	t.Helper()
	rest, ok := strings.CutPrefix(*at.URI, "some%20dir/")
	content, err := os.ReadFile(filepath.Join(repo, "some dir", rest))
	if !ok || err != nil {
		t.Errorf("%s is no file of the repository", *at.URI)
	}
	return string(content)
}
