package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisk: on a disk with too little room for what is fixed, nothing is written;
// with enough, all is. Package repair has the same for each single step, wherever it
// runs.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	programs, err := testPrograms()
	if err != nil {
		t.Skip(err)
	}
	k := &killer{dir: workDir(t), cache: t.TempDir(), fake: programs["lockvet-fake"]}
	k.begin(t)
	before := k.read(t)
	k.whole(t)
	after := k.read(t)
	k.begin(t)
	original := t.TempDir()
	if err := os.CopyFS(original, os.DirFS(k.dir)); err != nil {
		t.Fatal(err)
	}
	// The module is on a file system of its own, in a name space of the shell's. What is
	// in it then is copied out.
	const script = `mount -t tmpfs -o size=$KB"k" none "$DIR" && cp -R "$FROM"/. "$DIR" && cd "$DIR" || exit 9
"$LOCKVET" -fix ./... ; code=$?
cp -R "$DIR"/. "$TO" && exit $code`
	// All that was there and all that is new beside it: less by one page, and there is no
	// room for the last file.
	need := pagesOf(before)
	for name, content := range after {
		if content != before[name] {
			need += pagesOf(map[string]string{name: content})
		}
	}
	failed, written := 0, 0
	for _, pages := range []int{need - 6, need - 2, need - 1, need, 2 * need} {
		to := t.TempDir()
		cmd := exec.Command("unshare", "--mount", "--map-root-user", "sh", "-c", script)
		if os.Geteuid() == 0 {
			cmd = exec.Command("unshare", "--mount", "sh", "-c", script)
		}
		cmd.Env = append(k.run(k.fake, -1).Env, "DIR="+k.dir, "FROM="+original, "TO="+to, "LOCKVET="+k.fake, fmt.Sprintf("KB=%d", pages*os.Getpagesize()/1024))
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) && (exit.ExitCode() == 9 || strings.Contains(string(out), "unshare")) || errors.Is(err, exec.ErrNotFound) {
			t.Skipf("no file system of a size can be mounted here: %v: %s", err, out)
		}
		have := (&killer{dir: to}).read(t)
		switch {
		case err == nil && maps.Equal(have, after):
			written++
		case err != nil && maps.Equal(have, before) && strings.Contains(string(out), "no space left on device"):
			failed++
			if left, err := filepath.Glob(filepath.Join(to, "internal")); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		default:
			t.Errorf("%d pages: %v\n%s\nhave %v", pages, err, out, have)
		}
	}
	t.Logf("%d runs found no room, %d did", failed, written)
	if failed == 0 || written == 0 {
		t.Errorf("%d runs found no room, %d did", failed, written)
	}
}

// pagesOf is how many pages of memory files take.
func pagesOf(files map[string]string) (pages int) {
	for _, content := range files {
		pages += (len(content) + os.Getpagesize() - 1) / os.Getpagesize()
	}
	return pages
}
