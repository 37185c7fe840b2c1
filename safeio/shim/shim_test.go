// Package shim_test tests what the packages below promise beyond what package safeio
// does.
package shim_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lockvet/lockvet/safeio"
	"github.com/lockvet/lockvet/safeio/shim/gofrs/flock"
	"github.com/lockvet/lockvet/safeio/shim/lockedfile"
	"github.com/lockvet/lockvet/safeio/shim/moby/atomicwriter"
	"github.com/lockvet/lockvet/safeio/shim/natefinch/atomic"
	renameio1 "github.com/lockvet/lockvet/safeio/shim/renameio"
	"github.com/lockvet/lockvet/safeio/shim/renameio/v2"
	"github.com/lockvet/lockvet/safeio/shim/renameio/v2/maybe"
)

// state is a file that holds "old".
func state(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(name, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	return name
}

// want looks at what a file holds and, where there are modes, at its mode.
func want(t *testing.T, name, content string, mode fs.FileMode) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil || string(got) != content {
		t.Errorf("content %q, %v, want %q", got, err, content)
	}
	info, err := os.Stat(name)
	if err == nil && runtime.GOOS != "windows" && info.Mode() != mode {
		t.Errorf("mode %v, want %v", info.Mode(), mode)
	}
}

func TestWriters(t *testing.T) {
	data := []byte("new")
	for _, test := range []struct {
		what  string
		mode  fs.FileMode // of a file that had 0640
		write func(name string) error
	}{
		{"renameio v1", 0o604, func(name string) error { return renameio1.WriteFile(name, data, 0o604) }},
		{"renameio v2", 0o640, func(name string) error { return renameio.WriteFile(name, data, 0o604) }},
		{"renameio v2, static", 0o640, func(name string) error {
			return renameio.WriteFile(name, data, 0o600, renameio.WithStaticPermissions(0o604))
		}},
		{"maybe", 0o640, func(name string) error { return maybe.WriteFile(name, data, 0o604) }},
		{"atomic", 0o640, func(name string) error { return atomic.WriteFile(name, bytes.NewReader(data)) }},
		{"atomicwriter", 0o604, func(name string) error { return atomicwriter.WriteFile(name, data, 0o604) }},
		{"lockedfile", 0o640, func(name string) error { return lockedfile.Write(name, bytes.NewReader(data), 0o604) }},
		{"TempFile", 0o600, func(name string) error {
			f, err := renameio.TempFile("", name)
			if err != nil {
				return err
			}
			defer f.Cleanup()
			_, err = f.Write(data)
			return errors.Join(err, f.CloseAtomicallyReplace())
		}},
		{"NewPendingFile", 0o600, func(name string) error {
			f, err := renameio.NewPendingFile(name, renameio.WithReplaceOnClose())
			if err != nil {
				return err
			}
			_, err = f.Write(data)
			return errors.Join(err, f.Close())
		}},
	} {
		t.Run(test.what, func(t *testing.T) {
			name := state(t)
			if err := test.write(name); errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			want(t, name, "new", test.mode)
		})
	}
}

// TestDiscarded closes what was not committed.
func TestDiscarded(t *testing.T) {
	name := state(t)
	f, err := renameio.TempFile("", name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); !errors.Is(err, safeio.ErrDiscarded) {
		t.Errorf("Close says %v", err)
	}
	if err := f.Cleanup(); err != nil {
		t.Errorf("Cleanup says %v", err)
	}
	w, err := atomicwriter.New(name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil { // nothing was written
		t.Error(err)
	}
	want(t, name, "old", 0o640)
	if entries, err := os.ReadDir(filepath.Dir(name)); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestWriteSet(t *testing.T) {
	dir := t.TempDir()
	set, err := atomicwriter.NewWriteSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.WriteFile("a", []byte("A"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := set.FileWriter("b", os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("B")); err != nil {
		t.Error(err)
	}
	if err := errors.Join(w.Close(), set.Commit(filepath.Join(dir, "set"))); err != nil {
		t.Fatal(err)
	}
	want(t, filepath.Join(dir, "set", "a"), "A", 0o600)
	want(t, filepath.Join(dir, "set", "b"), "B", 0o600)
	if err := set.Cancel(); err != nil {
		t.Error(err)
	}
}

// TestFlock has two objects for one lock file, and safeio beside.
func TestFlock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	a, b := flock.New(path), flock.New(path)
	if err := a.RLock(); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	want(t, path, "", 0o600)
	if ok, err := b.TryRLock(); !ok || err != nil {
		t.Errorf("two for reading: %v, %v", ok, err)
	}
	if ok, err := b.TryLock(); ok || err != nil || b.RLocked() {
		t.Errorf("for writing beside one for reading: %v, %v", ok, err)
	}
	if err := a.Lock(); err != nil || !a.Locked() || a.RLocked() {
		t.Errorf("from reading to writing: %v", err)
	}
	if err := a.Lock(); err != nil {
		t.Errorf("once more: %v", err)
	}
	if _, err := (safeio.Options{LockFile: path}).TryLock("any"); !errors.Is(err, safeio.ErrLocked) {
		t.Errorf("safeio says %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if ok, err := b.TryLockContext(ctx, time.Hour); ok || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("too late: %v, %v", ok, err)
	}
	if err := errors.Join(a.Close(), a.Unlock()); err != nil || a.Locked() {
		t.Error(err)
	}
}

func TestLockedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	if _, err := lockedfile.Read(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading nothing: %v", err)
	}
	add := func(old []byte) ([]byte, error) { return append(old, 'x'), nil }
	if err := lockedfile.Transform(name, add); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	f, err := lockedfile.Edit(name)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- lockedfile.Transform(name, add) }()
	select {
	case err := <-done:
		t.Fatalf("Transform did not wait: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	if _, err := f.WriteAt([]byte("yy"), 0); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	got, err := lockedfile.Read(name)
	if err != nil || string(got) != "yyx" {
		t.Errorf("%q, %v", got, err)
	}

	mu := lockedfile.MutexAt(name + ".lock")
	unlock, err := mu.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := flock.New(mu.Path).TryLock(); ok || err != nil {
		t.Errorf("the lock file is locked once more: %v, %v", ok, err)
	}
	unlock()
	if !strings.Contains(mu.String(), mu.Path) {
		t.Error(mu)
	}
}
