package unlink

import (
	"os"
	"path/filepath"
	"syscall"
)

// The name ends in the letters of a pid, and is none.
func rapid(dir string, do func() error) error {
	path := filepath.Join(dir, "rapid.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return os.Remove(path) // want `rapid removes the lock file dir/rapid.lock while it holds the lock`
}
