package unlink

import (
	"errors"
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

// absent only asks whether the file exists once it has the lock.
func absent(dir string, do func() error) error {
	path := filepath.Join(dir, "absent.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return errors.New("it is gone")
	}
	if err := do(); err != nil {
		return err
	}
	return os.Remove(path) // want `absent removes the lock file dir/absent.lock while it holds the lock`
}

// A bay is locked by flock; another function makes the same file exclusively.
type bay struct{ dir string }

func (b *bay) prepare() error {
	f, err := os.OpenFile(filepath.Join(b.dir, "bay.lock"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (b *bay) with(do func() error) error {
	path := filepath.Join(b.dir, "bay.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
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
	return os.Remove(path) // want `with removes the lock file b.dir/bay.lock while it holds the lock`
}
