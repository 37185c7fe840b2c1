//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// needs names, in an environment variable, the programs without which tests fail that are
// skipped elsewhere.
func needs(t *testing.T, program, howTo string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	switch {
	case err == nil:
		return path
	case slices.Contains(strings.Fields(os.Getenv("LOCKVET_TEST_NEEDS")), program):
		t.Fatalf("%v: LOCKVET_TEST_NEEDS asks for it", err)
	}
	t.Skipf("%s is not installed, so that nothing is tried in it (%s)", program, howTo)
	return ""
}

// TestNeovim has Neovim open a file of a seed, choose the fix of a finding and save.
func TestNeovim(t *testing.T) {
	t.Parallel()
	nvim := needs(t, "nvim", "Debian: apt-get install neovim")
	lockvet := buildLockvet(t)
	dir := copySeed(t, "gatestate")
	script, err := filepath.Abs(filepath.Join("testdata", "editor.lua"))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.Command(nvim, "--headless", "--clean", "-n", "-i", "NONE", "-c", "luafile "+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"LOCKVET="+lockvet, "ROOT="+dir, "FILE="+filepath.Join(dir, "internal", "gate", "gate.go"),
		cacheVariable+"="+filepath.Join(home, "cache"), "XDG_STATE_HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"findings: 2\n",
		"first: line 66: (*Gate).IsChecked loads g.path, changes it and saves it with no lock",
		"(lockvet, lostupdate/unlocked)\n",
		"marks: g.save(state)\n",
		"hover: ```text\n",
		"why: internal/gate/gate.go:66:13: lostupdate/unlocked: reported\n",
		"action: lockvet: Hold a lock between processes from the load to the save, at all 2 places that save the file\n",
		"written\nfindings: 0\ndone",
	} {
		if !strings.Contains(strings.ReplaceAll(string(out), "\r", ""), want) {
			t.Errorf("Neovim does not say %q", want)
		}
	}
	if out, err := goIn(dir, "vet", "./..."); err != nil {
		t.Errorf("what Neovim has saved does not vet: %s", out)
	}
}
