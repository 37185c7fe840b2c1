//go:build unix && !solaris && !aix

package safeio

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipesAreRefused: opening one would wait for a writer, reading it for the
// end of what that writes.
func TestPipesAreRefused(t *testing.T) {
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
