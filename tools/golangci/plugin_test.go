//go:build unix

// Package test builds golangci-lint with the plugin, by the files that
// docs/golangci-lint.md prints, and runs it on modules in testdata. It is a module
// of its own because that takes minutes.
package test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var (
	update = flag.Bool("update", false, "rewrite the golden files")
	built  = flag.String("linter", "", "run this `file`, and build nothing")
)

// root is the module that holds the plugin.
const root = "../.."

// TestScripts builds the linter and runs the scripts with it.
func TestScripts(t *testing.T) {
	dir := t.TempDir()
	work, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile(filepath.Join(work, "docs", "golangci-lint.md"))
	if err != nil {
		t.Fatal(err)
	}
	build := printed(t, string(docs), ".custom-gcl.yml")
	linter := *built
	if linter == "" {
		linter = custom(t, dir, build, work)
	}
	env := strings.Fields(run(t, dir, nil, "go", "env", "GOCACHE", "GOMODCACHE"))
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOCACHE", env[0])
			e.Setenv("GOMODCACHE", env[1])
			e.Setenv("GOPROXY", "off")
			e.Setenv("GOFLAGS", "")
			e.Setenv("GOTOOLCHAIN", "local")
			e.Setenv("GOLANGCI_LINT_CACHE", filepath.Join(dir, "cache"))
			e.Setenv("GCL", linter)
			e.Setenv("LOCKVET", work)
			e.Setenv("HOME", e.WorkDir)
			return document(
				e.WorkDir,
				printed(t, string(docs), ".golangci.yml"),
				printed(t, string(docs), "settings"),
				printed(t, string(docs), "errcheck"),
			)
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"count": count, "sarif": sarif},
		RequireExplicitExec: true,
		UpdateScripts:       *update,
	})
}

// printed is the file of the name as the text prints it: the indented block below
// the line that the name begins.
func printed(t *testing.T, text, name string) string {
	_, rest, ok := strings.Cut(text, "\n`"+name+"` ")
	_, rest, ok2 := strings.Cut(rest, "\n\n")
	if !ok || !ok2 {
		t.Fatalf("no %s is printed", name)
	}
	var file strings.Builder
	for line := range strings.Lines(rest) {
		code, ok := strings.CutPrefix(line, "    ")
		if !ok && line != "\n" {
			break
		}
		file.WriteString(code)
	}
	return file.String()
}

// document writes the configuration that is printed, as docs.yml, as settings.yml
// with all settings, and as errcheck.yml with what errcheck is told.
func document(dir, config, settings, errcheck string) error {
	told := strings.ReplaceAll("\n"+strings.TrimSpace(errcheck), "\n", "\n    ") + "\n    custom:"
	if err := os.WriteFile(filepath.Join(dir, "errcheck.yml"), []byte(strings.Replace(config, "\n    custom:", told, 1)), 0o666); err != nil {
		return err
	}
	all := strings.ReplaceAll("\n"+strings.TrimSpace(settings), "\n", "\n        ")
	full := strings.Replace(config, "        type: module", "        type: module"+all, 1)
	if err := os.WriteFile(filepath.Join(dir, "docs.yml"), []byte(config), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.yml"), []byte(full), 0o666)
}

// custom runs "golangci-lint custom" by the file, except that the plugin is the one
// of this tree, and the sources of golangci-lint come from the module proxy: git
// is told that its repository is a directory.
func custom(t *testing.T, dir, config, work string) string {
	version := regexp.MustCompile(`(?m)^version: (\S+)$`).FindStringSubmatch(config)
	if version == nil {
		t.Fatalf("no version of golangci-lint in\n%s", config)
	}
	repo := repository(t, dir, version[1])
	stock := filepath.Join(dir, "golangci-lint")
	run(t, repo, nil, "go", "build", "-o", stock, "./cmd/golangci-lint")

	config = regexp.MustCompile(`(?m)^    version: \S+$`).ReplaceAllString(config, "    path: "+work)
	user := filepath.Join(dir, "user")
	if err := os.Mkdir(user, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(user, ".custom-gcl.yml"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, user, []string{
		"GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url.file://" + repo + ".insteadOf",
		"GIT_CONFIG_VALUE_0=https://github.com/golangci/golangci-lint.git",
	}, stock, "custom", "-v")
	return filepath.Join(user, "custom-gcl")
}

// repository makes a git repository of golangci-lint's module at a version.
func repository(t *testing.T, dir, version string) string {
	var module struct{ Dir string }
	out := run(t, dir, nil, "go", "mod", "download", "-json", "github.com/golangci/golangci-lint/v2@"+version)
	if err := json.Unmarshal([]byte(out), &module); err != nil {
		t.Fatal(err)
	}
	repo := filepath.Join(dir, "repository")
	if err := os.CopyFS(repo, os.DirFS(module.Dir)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", version}, {"tag", version}} {
		run(t, repo, nil, "git", append([]string{"-c", "user.name=test", "-c", "user.email=test@example.com"}, args...)...)
	}
	return repo
}

// run gives the standard output of a program that has to succeed. What is compiled
// is kept whatever the name of the temporary directory.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off"), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

// count checks how many lines of a file match: count n regexp file.
func count(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: count n regexp file")
	}
	n := len(regexp.MustCompile("(?m)"+args[1]).FindAllString(ts.ReadFile(args[2]), -1))
	if strconv.Itoa(n) != args[0] {
		ts.Fatalf("%d lines match %s", n, args[1])
	}
}

// sarif prints the results of a SARIF file as golangci-lint prints text: sarif file.
func sarif(ts *testscript.TestScript, neg bool, args []string) {
	var log struct {
		Version string
		Runs    []struct {
			Results []struct {
				RuleID    string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &log))
	if neg || log.Version != "2.1.0" || len(log.Runs) != 1 {
		ts.Fatalf("%s is version %q with %d runs", args[0], log.Version, len(log.Runs))
	}
	for _, r := range log.Runs[0].Results {
		at := r.Locations[0].PhysicalLocation
		fmt.Fprintf(
			ts.Stdout(),
			"%s:%d:%d: %s (%s)\n",
			at.ArtifactLocation.URI,
			at.Region.StartLine,
			at.Region.StartColumn,
			r.Message.Text,
			r.RuleID,
		)
	}
}
