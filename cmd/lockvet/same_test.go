package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSameAnswer: what lockvet says of a module does not depend on the number of cores,
// nor on the order in which the packages are named, to the byte.
func TestSameAnswer(t *testing.T) {
	t.Parallel()
	lockvet := buildLockvet(t)
	modules, err := filepath.Glob("../../testdata/seeds/*/go.mod")
	if err != nil || len(modules) != 5 {
		t.Fatalf("%d seeds, %v", len(modules), err)
	}
	for _, mod := range append(modules, "../../testdata/hard/go.mod") {
		dir := filepath.Dir(mod)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			packages := strings.Fields(printed(t, dir, nil, "go", "list", "./..."))
			run := func(cores string, packages []string) string {
				t.Helper()
				return printed(t, dir, []string{"GOMAXPROCS=" + cores, cacheVariable + "=off"}, lockvet, append([]string{"-json"}, packages...)...)
			}
			want := run("1", packages)
			if !strings.Contains(want, `"findings": [`) {
				t.Fatalf("no findings: %s", want)
			}
			backwards := slices.Clone(packages)
			slices.Reverse(backwards)
			if got := run("8", backwards); got != want {
				t.Errorf("the other way round, on eight cores: %s\non one core: %s", got, want)
			}
		})
	}
}

// printed is what a command prints in a directory; that it has findings is no error.
func printed(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%s in %s: %v: %s", name, dir, err, stderr.String())
	}
	return stdout.String()
}
