package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"
)

// lockvet is the command, built once.
var lockvet = sync.OnceValues(func() (string, error) {
	name, err := filepath.Abs(filepath.Join(made, "lockvet"))
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", name, "./cmd/lockvet")
	cmd.Dir, cmd.Stderr = repo, os.Stderr
	return name, cmd.Run()
})

// schema is one of those in the documentation.
func schema(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repo, "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// TestReportSchema checks documents of the command by the schema of the documentation: one
// with all candidates, one of fixed findings, one of a run that gave up, an empty one, one with proofs.
func TestReportSchema(t *testing.T) {
	t.Parallel()
	command, err := lockvet()
	if err != nil {
		t.Fatal(err)
	}
	resolved := schema(t, "report.schema.json")
	for _, c := range []struct {
		flags  []string
		has    string
		status int
	}{
		{[]string{"-all"}, "candidates", 1},
		{[]string{"-fix"}, "fixed", 0},
		{[]string{"-budget=1"}, "gaveUp", 0},
		{[]string{"-enable=uncommitted"}, "findings", 0},
		{[]string{"prove"}, "run", 1},
	} {
		dir := filepath.Join(t.TempDir(), "m")
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(repo, "testdata", "seeds", "trajindex"))); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "out.json")
		cmd := exec.Command(command, append(c.flags, "-json="+name, "./...")...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "LOCKVET_CACHE="+t.TempDir(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != c.status {
			t.Fatalf("%v: status %d, want %d\n%s", c.flags, cmd.ProcessState.ExitCode(), c.status, out)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(doc); err != nil {
			t.Errorf("%v: %v", c.flags, err)
		}
		if tool, _ := doc["tool"].(string); !strings.HasPrefix(tool, "lockvet ") || doc[c.has] == nil {
			t.Errorf("%v: tool %q, %s %v", c.flags, tool, c.has, doc[c.has])
		}
	}
	if err := resolved.Validate(map[string]any{"version": 1, "tool": "lockvet", "findings": []any{map[string]any{"check": 1}}}); err == nil {
		t.Error("a finding without anything is valid")
	}
}

// TestSARIFSchema checks logs of the command by the published schema: of the seeds, of runs
// that gave up, and of some that found nothing.
func TestSARIFSchema(t *testing.T) {
	t.Parallel()
	command, err := lockvet()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("testdata", "sarif-schema-2.1.0.json")) // as OASIS publishes it
	if err != nil {
		t.Fatal(err)
	}
	// The validator knows later drafts, whose keywords mean the same where this one has them.
	text = []byte(strings.NewReplacer(`/draft-04/`, `/draft-07/`, "\n  \"id\": ", "\n  \"$id\": ").Replace(string(text)))
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	seeds, err := filepath.Glob(filepath.Join(repo, "testdata", "seeds", "*", "go.mod"))
	if err != nil || len(seeds) == 0 {
		t.Fatalf("%d seeds: %v", len(seeds), err)
	}
	for _, seed := range seeds {
		for _, c := range []struct {
			flag, list string // of the run, which has something
		}{
			{"-all", "results"},
			{"-budget=1", "invocations"},
			{"-enable=uncommitted", ""},
		} {
			name := filepath.Join(t.TempDir(), "out.sarif")
			cmd := exec.Command(command, c.flag, "-sarif="+name, "./...")
			cmd.Dir = filepath.Dir(seed)
			cmd.Env = append(os.Environ(), "LOCKVET_CACHE="+t.TempDir(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
			if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() > 1 {
				t.Fatalf("%s: status %d\n%s", c.flag, cmd.ProcessState.ExitCode(), out)
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var log map[string]any
			if err := json.Unmarshal(text, &log); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(log); err != nil {
				t.Errorf("%s in %s: %v", c.flag, cmd.Dir, err)
			}
			run := log["runs"].([]any)[0].(map[string]any)
			if list, _ := run[c.list].([]any); c.list != "" && len(list) == 0 {
				t.Errorf("%s in %s: the log has no %s", c.flag, cmd.Dir, c.list)
			}
			if list, ok := run["results"].([]any); !ok || c.list != "results" && len(list) > 0 {
				t.Errorf("%s in %s: the results are %v", c.flag, cmd.Dir, run["results"])
			}
		}
	}
	if err := resolved.Validate(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{"results": []any{}}}}); err == nil {
		t.Error("a run without a tool is valid")
	}
}

// TestConfigurationSchema: the example of the documentation follows the schema, and slips
// do not.
func TestConfigurationSchema(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repo, "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("there is no example")
	}
	resolved := schema(t, "lockvet.schema.json")
	for text, valid := range map[string]bool{
		example: true,
		"{enable: [tornwrite, lostupdate/unlocked], severity: {lostupdate: warning}, without: [word/output], state: " +
			"['\\.session$'], tests: true}": true,
		"{exclude: [{path: internal/legacy, checks: [tornwrite/inplace], reason: goes away in spring}], safeio: " +
			"example.com/m/disk/safeio}": true,
		"enabel: []":                  false,
		"enable: [tornwrit]":          false,
		"exclude: [{path: a}]":        false,
		"severity: {tornwrite: mild}": false,
	} {
		var instance any
		if err := yaml.Unmarshal([]byte(text), &instance); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(instance); (err == nil) != valid {
			t.Errorf("by the schema, %q: %v", text, err)
		}
	}
}
