package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockvet/lockvet/tools/internal/program"
)

// A target is a tree whose findings are frozen.
type target struct {
	name string
	dir  string // of a tree of this repository
	// prepare makes a copy of the target in a folder, which is empty, and names the packages
	// to analyse; nil where the tree is analysed in its place.
	prepare func(ctx context.Context, dir string) (patterns []string, err error)
}

// local lists the trees of this repository.
func local(root string) []target {
	testdata := filepath.Join(root, "testdata")
	targets := []target{
		{name: "fixtures", prepare: func(_ context.Context, dir string) ([]string, error) {
			w, err := newWorkspace(testdata, dir)
			if err != nil {
				return nil, err
			}
			return w.patterns, nil
		}},
		{name: "hard", dir: filepath.Join(testdata, "hard")},
	}
	for _, seed := range []string{"ctxfile", "gatestate", "sessionsave", "trajindex", "writelock"} {
		targets = append(targets, target{name: "seed-" + seed, dir: filepath.Join(testdata, "seeds", seed)})
	}
	return targets
}

// public lists the programs of a file, one module and version a line.
func public(file string) ([]target, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var targets []target
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, '@')
		if at < 0 {
			return nil, fmt.Errorf("%s: %q names no version: write MODULE@VERSION", file, line)
		}
		targets = append(targets, target{
			name: program.Name(line[:at]),
			prepare: func(ctx context.Context, dir string) ([]string, error) {
				return []string{"./..."}, program.Download(ctx, line, dir)
			},
		})
	}
	return targets, nil
}

// findings runs lockvet over the target and returns a sorted line for each finding.
func (t target) findings(ctx context.Context, lockvet, tmp string) (string, error) {
	dir, patterns := t.dir, []string{"./..."}
	work := "off"
	if t.prepare != nil {
		dir = filepath.Join(tmp, t.name)
		defer os.RemoveAll(dir)
		var err error
		if patterns, err = t.prepare(ctx, dir); err != nil {
			return "", err
		}
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			work = filepath.Join(dir, "go.work")
		}
	}
	cmd := exec.CommandContext(ctx, lockvet, append([]string{"-json", "-all", "-config", "off", "-safeio", "bundle"}, patterns...)...)
	cmd.Dir = dir
	cmd.Env = append(environ(), "GOWORK="+work)
	out, err := cmd.Output()
	var doc struct{ Findings []finding }
	if json.Unmarshal(out, &doc) != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			return "", fmt.Errorf("running lockvet: %w\n%s", err, exit.Stderr)
		}
		return "", fmt.Errorf("running lockvet: it printed no findings: %w", err)
	}
	var lines []string
	for _, f := range doc.Findings {
		lines = append(lines, f.line()+"\n")
	}
	slices.Sort(lines)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 2 {
		lines = append(lines, "not all packages were analysed\n")
	}
	return strings.Join(lines, ""), nil
}

// A finding is what the JSON document says of one, as far as a line tells it.
type finding struct {
	Category, Severity, Func, Message, NoFix string

	Pos struct{ File string }
	Fix *struct{ Message string }
}

func (f finding) line() string {
	end := "no fix: " + cmp.Or(f.NoFix, "no reason is given")
	if f.Fix != nil {
		end = "fix: " + f.Fix.Message
	}
	return strings.Join([]string{f.Pos.File, f.Func, f.Category, f.Severity, end}, "\t")
}

// environ is the environment in which findings do not depend on the machine's settings.
func environ() []string {
	return append(os.Environ(), "LOCKVET_CACHE=off", "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=")
}
