//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestAction runs what the steps of action.yml run, with the environment of a runner.
func TestAction(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../../.ci/action")
	if err != nil {
		t.Fatal(err)
	}
	temp, work := t.TempDir(), workDir(t)
	if err := os.Symlink(buildLockvet(t), filepath.Join(temp, "lockvet")); err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(work, "a module")
	if err := os.CopyFS(module, os.DirFS("../../testdata/seeds/trajindex")); err != nil {
		t.Fatal(err)
	}
	sarif := filepath.Join(work, "lockvet.sarif")
	for _, c := range []struct {
		name, args, packages, fail string
		status                     int
		says                       string
		sarif                      bool
	}{
		{"findings", "", "./...", "true", 1, "tornwrite/inplace", true},
		{"findings that fail nothing", "", "./...", "false", 0, "tornwrite/inplace", true},
		{"arguments with quotes", `-enable tornwrite -state "a b|(c)"`, "./internal/... ./...", "true", 1, "tornwrite/inplace", true},
		{"nothing is expanded", `-enable latelock -state '$(touch ran)'`, "./...", "true", 0, "", true},
		{"a quote without its end", `-state 'unbalanced`, "./...", "true", 2, "the input args of the action cannot be split into words: -state 'unbalanced", false},
		{"packages with such a quote", "", `"./...`, "false", 2, "the input packages", false},
		{"an empty word at the end", `-since ""`, "./...", "true", 2, "-since", false},
		{"blanks alone", " \n ", "./...", "true", 1, "tornwrite/inplace", true},
		{"a run that fails leaves no findings of an earlier one", "-nosuch", "./...", "false", 2, "-nosuch", false},
	} {
		if err := os.WriteFile(sarif, []byte("stale"), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(script)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "ARGS="+c.args, "PACKAGES="+c.packages, "FAIL="+c.fail,
			"DIRECTORY=a module", "SARIF=lockvet.sarif", "LOCKVET_CACHE="+filepath.Join(temp, "results"), "GOFLAGS=", "GOWORK=off")
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != c.status || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: status %d, want %d, and %q in\n%s", c.name, got, c.status, c.says, out)
		}
		text, err := os.ReadFile(sarif)
		if (err == nil) != c.sarif || string(text) == "stale" {
			t.Errorf("%s: the log: %v, %.20s", c.name, err, text)
		}
		if _, err := os.Stat(filepath.Join(module, "ran")); err == nil {
			t.Errorf("%s: an argument was run", c.name)
		}
	}
	var action struct {
		Inputs map[string]any
		Runs   struct{ Steps []map[string]any }
	}
	text, err := os.ReadFile("../../action.yml")
	if err == nil {
		err = yaml.Unmarshal(text, &action)
	}
	if err != nil || len(action.Runs.Steps) != 3 {
		t.Fatalf("action.yml: %d steps, %v", len(action.Runs.Steps), err)
	}
	for name := range action.Inputs {
		if !strings.Contains(string(text), "inputs."+name) {
			t.Errorf("the input %s is not used", name)
		}
	}
}
