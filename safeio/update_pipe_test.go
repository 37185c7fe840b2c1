//go:build unix && !solaris && !aix

package safeio

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipesAreRefused: opening one would wait for a writer, reading it for the
// end of what that writes.
func TestPipesAreRefused(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(name, 0o644); err != nil {
		t.Skip(err)
	}
	link := filepath.Join(dir, "link")
	symlink(t, name, link)
	for _, n := range []string{name, link} {
		wantRefused(t, n, ErrNotAtomic)
		if _, err := NewState[int](n, 0o644).Get(); err == nil {
			t.Errorf("State %s: no error", n)
		}
	}
	wantOnly(t, dir, "pipe", "link")
}

// TestPipeAtTheLastMoment puts a pipe in the place of the file while a call waits.
func TestPipeAtTheLastMoment(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	mustWrite(t, name, "old", 0o644)
	o := Options{hook: func(step string) error {
		if step == "read" {
			os.Remove(name)
			return syscall.Mkfifo(name, 0o644)
		}
		return nil
	}}
	if err := o.UpdateContext(context.Background(), name, 0o644, result("new")); !errors.Is(err, ErrNotAtomic) {
		t.Errorf("error %v", err)
	}
	wantNoQueues(t)
}
