package safeio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func init() {
	errands["remove"] = func(args []string) error { return Remove(args[0]) }
	errands["remover"] = func(args []string) error { return removeOften(args[0], args[1]) }
	errands["locker"] = func(args []string) error { return lockOften(args[0]) }
}

func TestRemove(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "log")
	for _, locked := range []bool{true, false} {
		mustWrite(t, name, "a\n", 0o644)
		if locked {
			mustAppend(t, name, "b")
		}
		if err := Remove(name); err != nil {
			t.Error(err)
		}
		wantOnly(t, dir)
	}
	mustAppend(t, name, "c")
	wantContent(t, name, "c\n")
}

func TestRemoveOfNothing(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	mustWrite(t, file, "", 0o644)
	for _, name := range []string{"", filepath.Join(dir, "none"), filepath.Join(dir, "none", "log"), filepath.Join(dir, "none") + "/", file + "/"} {
		err := Remove(name)
		want := os.Remove(name)
		var pe *fs.PathError
		if !errors.As(err, &pe) || pe.Path != name || errors.Is(want, fs.ErrNotExist) != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v, os.Remove says %v", name, err, want)
		}
	}
	wantOnly(t, dir, "file")

	mustWrite(t, filepath.Join(dir, ".safeio-none.lock"), "", 0o644)
	if err := Remove(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("with a lock file left: %v", err)
	}
	wantOnly(t, dir, "file")
}

// TestRemoveLeavesOthersLockFiles: NAME.lock belongs to Bundler, Cargo and git.
func TestRemoveLeavesOthersLockFiles(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	for _, base := range []string{"Gemfile", "Cargo", "config"} {
		name := filepath.Join(dir, base)
		mustWrite(t, name, "old", 0o644)
		mustWrite(t, name+".lock", "pinned", 0o644)
		if err := Remove(name); err != nil {
			t.Error(err)
		}
		if err := Remove(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("once more: %v", err)
		}
		wantContent(t, name+".lock", "pinned")
	}
	wantOnly(t, dir, "Gemfile.lock", "Cargo.lock", "config.lock")

	name, lock := filepath.Join(dir, "state"), filepath.Join(dir, "theirs")
	mustWrite(t, name, "old", 0o644)
	if err := (Options{LockFile: lock}).Remove(name); err != nil {
		t.Error(err)
	}
	wantOnly(t, dir, "Gemfile.lock", "Cargo.lock", "config.lock", "theirs")
	wantContent(t, lock, "")
}

func TestRemoveRefusesDirectories(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{sub, sub + string(filepath.Separator)} {
		var pe *fs.PathError
		if err := Remove(name); !errors.As(err, &pe) || pe.Path != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := others(t, dir); len(got) != 1 {
		t.Errorf("left: %q", got)
	}
}

// TestRemoveOfALink removes the link, as os.Remove does.
func TestRemoveOfALink(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	name, link := filepath.Join(dir, "log"), filepath.Join(dir, "link")
	mustAppend(t, name, "a")
	for _, to := range []string{"log", "nowhere", "link", "no/where", "."} {
		symlink(t, to, link)
		if err := Remove(link); err != nil {
			t.Errorf("link to %s: %v", to, err)
		}
		wantOnly(t, dir, "log", ".safeio-log.lock")
	}
	wantContent(t, name, "a\n")
}

func TestRemoveFailedAtEveryStep(t *testing.T) {
	needLocks(t)
	for _, failure := range stepFailures {
		for fail := 1; ; fail++ {
			dir := memoryDir(t)
			name := filepath.Join(dir, "log")
			mustAppend(t, name, "old")
			count, failed := 0, ""
			o := Options{hook: func(step string) error {
				if count++; count == fail {
					failed = step
					return failure
				}
				return nil
			}}
			descriptors := openFiles(t)
			err := o.Remove(name)
			what := fmt.Sprintf("%s failed with %v", failed, failure)
			if now := openFiles(t); now != descriptors {
				t.Errorf("%s: %d descriptors, before %d", what, now, descriptors)
			}
			_, gone := os.Stat(name)
			switch {
			case failed == "" || failed == "unlock":
				if err != nil {
					t.Errorf("%s: %v", what, err)
				}
			case !errors.Is(err, failure) || !strings.Contains(err.Error(), name):
				t.Errorf("%s: error %v", what, err)
			}
			if (gone != nil) != (err == nil || errors.Is(err, ErrPublished)) {
				t.Errorf("%s: error %v, the file: %v", what, err, gone)
			}
			if gone == nil {
				wantContent(t, name, "old\n")
			} else {
				wantOnly(t, dir)
			}
			mustAppend(t, name, "next") // the lock is free
			if failed == "" {
				break
			}
		}
	}
}

// removeOften removes a file that is always there anew.
func removeOften(name, until string) error {
	for {
		if err := Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if _, err := os.Stat(until); err == nil {
			return nil
		}
	}
}

// lockOften fails if another holds the lock at the same time.
func lockOften(name string) error {
	for range 200 {
		held, err := LockContext(context.Background(), name)
		if err != nil {
			return err
		}
		alone, err := os.OpenFile(name+".alone", os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return fmt.Errorf("two have the lock: %w", err)
		}
		os.WriteFile(name, nil, 0o644)
		alone.Close()
		os.Remove(name + ".alone")
		held.Unlock()
	}
	return nil
}

// TestRemoveAmongLockers removes lock files under those that wait for them.
func TestRemoveAmongLockers(t *testing.T) {
	dir := t.TempDir()
	name, until := filepath.Join(dir, "state"), filepath.Join(t.TempDir(), "until")
	needContexts(t) // whoever heeds them also notices that the lock file is removed
	var lockers waitGroup
	for range 4 {
		lockers.Go(func() {
			if got := reported(t, child(t, "locker", name)); got != "nil" {
				t.Error(got)
			}
		})
	}
	removers := make(chan string)
	for range 2 {
		cmd := child(t, "remover", name, until)
		go func() {
			out, err := cmd.Output()
			removers <- fmt.Sprint(string(out), err)
		}()
	}
	lockers.Wait()
	mustWrite(t, until, "", 0o644)
	for range 2 {
		if got := <-removers; got != "nil<nil>" {
			t.Error(got)
		}
	}
}
