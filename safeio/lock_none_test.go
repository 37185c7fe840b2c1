//go:build aix || (solaris && !illumos) || !(unix || windows)

package safeio

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

// TestNoLocksOnThisSystem: nothing passes for a lock, and nothing is created.
func TestNoLocksOnThisSystem(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	for _, lock := range []func(string) (*Held, error){Lock, RLock, TryLock, TryRLock} {
		h, err := lock(name)
		var pe *fs.PathError
		if h != nil || !errors.Is(err, errors.ErrUnsupported) || !errors.As(err, &pe) || pe.Path != name {
			t.Errorf("%v, %v", h, err)
		}
	}
	wantOnly(t, dir)
}
