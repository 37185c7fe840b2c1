package safeio

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Files that may be written in a directory that may not: there can be no lock file, so the
// file itself is locked, and rewritten in place.

func init() {
	errands["add-often"] = func(args []string) error {
		times, err := strconv.Atoi(args[1])
		for ; err == nil && times > 0; times-- {
			err = Update(args[0], 0o644, func(old []byte) ([]byte, error) {
				n, err := strconv.Atoi(strings.TrimSpace(string(old)))
				time.Sleep(time.Millisecond) // so that the others come meanwhile
				return fmt.Appendf(nil, "%d\n", n+1), err
			})
		}
		return err
	}
	errands["save-locked"] = func(args []string) error {
		h, err := Lock(args[0])
		if err != nil {
			return err
		}
		return errors.Join(WriteFile(args[0], []byte(args[1]), 0o644), h.Unlock())
	}
}

// inUnwritable is a file that all may write, in a directory that only root may.
func inUnwritable(t *testing.T, content string) (dir, name string) {
	t.Helper()
	dir = openDir(t)
	name = filepath.Join(dir, "state")
	mustWrite(t, name, content, 0o666)
	os.Chmod(dir, 0o755)
	return dir, name
}

func TestUpdateInUnwritableDirectory(t *testing.T) {
	dir, name := inUnwritable(t, "old")
	for _, errand := range [][]string{{"update-append", name, "er"}, {"save-locked", name, "new"}, {"lock", name}} {
		if got := reported(t, asNobody(t, errand[0], errand[1:]...)); got != "nil" {
			t.Errorf("%s: reported %s", errand[0], got)
		}
	}
	wantContent(t, name, "new")
	wantOnly(t, dir, "state")

	os.Chmod(name, 0o644) // and now it may not be written, either
	got := reported(t, asNobody(t, "update-append", name, "er"))
	if !strings.HasPrefix(got, "[permission]") || strings.Contains(got, "chmod") {
		t.Errorf("reported %s", got)
	}
	wantContent(t, name, "new")
}

// TestStrictInUnwritableDirectory would be rewritten in place.
func TestStrictInUnwritableDirectory(t *testing.T) {
	_, name := inUnwritable(t, "old")
	if got := reported(t, asNobody(t, "strict-update", name)); !strings.HasPrefix(got, "[notatomic") {
		t.Errorf("reported %s", got)
	}
	wantContent(t, name, "old")
}

func init() {
	errands["strict-update"] = func(args []string) error {
		return Options{Strict: true}.Update(args[0], 0o644, result("new"))
	}
}

// TestNoUpdateIsLostWhereALockFileIsMade has two without the right to make a lock file
// change a file, and then one more who has it.
func TestNoUpdateIsLostWhereALockFileIsMade(t *testing.T) {
	const each = 40
	for range 5 {
		dir, name := inUnwritable(t, "0\n")
		var all waitGroup
		for _, cmd := range []interface {
			Output() ([]byte, error)
		}{asNobody(t, "add-often", name, fmt.Sprint(each)), asNobody(t, "add-often", name, fmt.Sprint(each)), child(t, "add-often", name, fmt.Sprint(each))} {
			all.Go(func() {
				if out, err := cmd.Output(); string(out) != "nil" {
					t.Errorf("reported %s, %v", out, err)
				}
			})
		}
		all.Wait()
		wantContent(t, name, fmt.Sprintf("%d\n", 3*each))
		wantOnly(t, dir, "state", ".safeio-state.lock")
	}
}

// TestLockFileWaitsForTheTarget: who can make a lock file makes none while another holds
// the lock of the target itself.
func TestLockFileWaitsForTheTarget(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	mustWrite(t, name, "", 0o644)
	cmd := child(t, "lock", name)
	own, err := lockRequest{ctx: background, name: name}.attempt(target{name: name, path: name}.asLock())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(name); !errors.Is(err, ErrLocked) {
		t.Errorf("TryLock says %v", err)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * lockPause)
	wantOnly(t, dir, "state")
	mustUnlock(t, own, nil)
	if err := cmd.Wait(); err != nil || out.String() != "nil" {
		t.Errorf("reported %s, %v", out.String(), err)
	}
	wantOnly(t, dir, "state", ".safeio-state.lock")

	// From now on the target is not locked itself.
	if h, err := (lockRequest{ctx: background, name: name}).attempt(target{name: name, path: name}.asLock()); err != errMoved {
		t.Errorf("beside a lock file: %v, %v", h, err)
	}
}

// TestSaveUnderOwnLock rewrites a file in place of which this process has the lock, and
// does not wait for it.
func TestSaveUnderOwnLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	mustWrite(t, name, "old", 0o644)
	h, err := lockRequest{ctx: background, name: name}.attempt(target{name: name, path: name}.asLock())
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	start := time.Now()
	lockInPlace(f)()
	if waited := time.Since(start); waited > lockPatience/2 {
		t.Errorf("waited for %v", waited)
	}
	mustUnlock(t, h, nil)
}
