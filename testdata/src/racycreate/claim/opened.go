package claim

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lock keeps nobody out: the call opens the file of another, too.
func lock(lockfile string) (func() error, error) {
	f, err := os.OpenFile(lockfile, os.O_CREATE|os.O_RDWR, 0o600) // want `lock makes lockfile by a call that takes an existing one as well: two processes both have the lock`
	if err != nil {
		return nil, err
	}
	return func() error {
		if err := f.Close(); err != nil {
			return fmt.Errorf("release: %w", err)
		}
		return os.Remove(lockfile)
	}, nil
}

// lockOnce makes it exclusively.
func lockOnce(lockfile string) (func() error, error) {
	f, err := os.OpenFile(lockfile, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return func() error {
		f.Close()
		return os.Remove(lockfile)
	}, nil
}

// lockOpen locks what it has opened.
func lockOpen(dir string) (func() error, error) {
	f, err := os.OpenFile(filepath.Join(dir, "store.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return f.Close, nil
}
