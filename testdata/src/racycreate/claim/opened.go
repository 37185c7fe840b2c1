package claim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
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

var errBusy = errors.New("busy")

// lockAsking makes a file that asks the owner to release the lock, and tries again.
func lockAsking(lockfile string, try func() error) (func() error, error) {
	for {
		err := try()
		if err == nil {
			break
		}
		if err != errBusy {
			return nil, err
		}
		f, err := os.Create(lockfile) // ok
		if err != nil {
			return nil, err
		}
		defer f.Close()
		time.Sleep(time.Millisecond)
	}
	return func() error { return os.Remove(lockfile) }, nil
}

// lockRetrying makes the lock itself, after the directory is there.
func lockRetrying(lockfile string) (func() error, error) {
	for {
		f, err := os.OpenFile(lockfile, os.O_CREATE|os.O_RDWR, 0o600) // want `lockRetrying makes lockfile by a call that takes an existing one as well: two processes both have the lock`
		if err == nil {
			return func() error { f.Close(); return os.Remove(lockfile) }, nil
		}
		if !os.IsNotExist(err) {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Dir(lockfile), 0o755); err != nil {
			return nil, err
		}
	}
}
