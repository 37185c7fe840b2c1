//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
		"why: internal/gate/gate.go:66:13: lostupdate/unlocked: reported, error, score 0.",
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

// TestMakeprg has Vim and Neovim make with the settings of the documentation, which gives
// one entry for each finding, with its severity.
func TestMakeprg(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	settings := regexp.MustCompile("(?ms)^```vim\n(.*?)^```$").FindSubmatch(page)
	if settings == nil {
		t.Fatal("docs/editors.md has no settings for Vim")
	}
	bin := t.TempDir()
	if err := os.Symlink(buildLockvet(t), filepath.Join(bin, "lockvet")); err != nil {
		t.Fatal(err)
	}
	for _, editor := range []string{"vim", "nvim"} {
		t.Run(editor, func(t *testing.T) {
			program := needs(t, editor, "Debian: apt-get install "+editor)
			dir := copySeed(t, "trajindex")
			env := append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GOWORK=off",
				cacheVariable+"="+filepath.Join(bin, "cache"), "XDG_STATE_HOME="+bin, "XDG_DATA_HOME="+bin, "XDG_CONFIG_HOME="+bin)
			run := func(name string, args ...string) string {
				cmd := exec.Command(name, args...)
				cmd.Dir, cmd.Env = dir, env
				out, _ := cmd.CombinedOutput() // lockvet ends with 1, and Vim after an error of make
				return string(out)
			}
			script, list := filepath.Join(bin, "make.vim"), filepath.Join(bin, editor+".list")
			text := string(settings[1]) + "silent make!\ncall writefile(map(getqflist(), 'bufname(v:val.bufnr) . \":\" . v:val.lnum . \":\" . v:val.col . \": \" . v:val.type . \" \" . v:val.text'), '" + list + "')\nquitall!\n"
			if err := os.WriteFile(script, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			out := run(program, "-es", "-u", "NONE", "-i", "NONE", "-n", "-N", "-S", script)
			got, err := os.ReadFile(list)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := run("lockvet", "-format", "short", "./...")
			want = want[:strings.Index(want, "\n\n")+1]
			want = strings.NewReplacer(": error: ", ": e ", ": warning: ", ": w ").Replace(want)
			if string(got) != want || want == "" {
				t.Errorf("the list is\n%s\nwant\n%s", got, want)
			}
		})
	}
}
