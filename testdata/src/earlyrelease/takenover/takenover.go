// Package takenover has locks that others take over when they are old.
package takenover

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

const old = time.Minute

// withLock takes a lock over that is old, and does not think that others do so
// with its own.
func withLock(dir string, do func() error) error {
	path := filepath.Join(dir, "pool.lock")
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			f.Close()
			break
		}
		info, err := os.Stat(path)
		if err == nil && time.Since(info.ModTime()) > old {
			os.Remove(path) // want `withLock removes dir/pool.lock where it takes it for stale`
			continue
		}
		time.Sleep(time.Second)
	}
	defer os.Remove(path)
	return do()
}

// busy shows when the pool was taken.
func busy(dir string) string {
	said, err := os.ReadFile(filepath.Join(dir, "pool.lock"))
	if err != nil {
		return ""
	}
	return string(said)
}

// A slot is given back by a method, and taken over in a helper.
type slot struct{ dir string }

func (s *slot) lockPath() string { return filepath.Join(s.dir, "slot.lock") }

func (s *slot) tryLock() error {
	f, err := os.OpenFile(s.lockPath(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) && s.sweep() {
		return s.tryLock()
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func (s *slot) sweep() bool {
	if !stale(s.lockPath()) {
		return false
	}
	return os.Remove(s.lockPath()) == nil // want `sweep removes s.dir/slot.lock where it takes it for stale`
}

func stale(path string) bool {
	info, err := os.Stat(path)
	return err == nil && time.Now().Sub(info.ModTime()) > old
}

func (s *slot) unlock() error {
	return os.Remove(s.lockPath()) // want `unlock removes the lock file s.dir/slot.lock without a look whether it is still its own: \(\*slot\).sweep removes it`
}

// A ticket is removed at once where it could not be written: it is not old then.
type ticket struct{ dir string }

func (t *ticket) lockPath() string { return filepath.Join(t.dir, "ticket.lock") }

func (t *ticket) draw(name string) error {
	f, err := os.OpenFile(t.lockPath(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		if stale(t.lockPath()) {
			os.Remove(t.lockPath())
		}
		return err
	}
	if _, err := f.WriteString(name); err != nil {
		f.Close()
		os.Remove(t.lockPath())
		return err
	}
	return f.Close()
}
