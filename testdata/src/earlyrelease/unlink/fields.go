package unlink

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// A syncLock keeps the path and the open file in two fields.
type syncLock struct {
	path string
	file *os.File
}

func lockExclusive(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }
func unlockFile(f *os.File) error    { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

func acquireSync(dir string) (*syncLock, error) {
	path := filepath.Join(dir, ".sync.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockExclusive(f); err != nil {
		f.Close()
		return nil, err
	}
	return &syncLock{path: path, file: f}, nil
}

// Release drops the error of nothing but the removal.
func (l *syncLock) Release() error {
	if l == nil || l.file == nil {
		return nil
	}
	if err := unlockFile(l.file); err != nil {
		return err
	}
	if err := l.file.Close(); err != nil {
		return err
	}
	l.file = nil
	// Nobody needs the file any more.
	if err := os.Remove(l.path); err != nil && !os.IsNotExist(err) { // want `Release removes the lock file l.path after it has released the lock`
		return fmt.Errorf("tidy up: %w", err)
	}
	return nil
}

// discard removes first, and lets go then.
func (l *syncLock) discard() {
	os.Remove(l.path) // want `discard removes the lock file l.path while it holds the lock`
	unlockFile(l.file)
	l.file.Close()
}

// withTheme is one function; its defers run from the last to the first.
func withTheme(path string, change func() error) error {
	lockPath := path + ".lock"
	f, err := os.OpenFile(lockPath, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(lockPath) // want `withTheme removes the lock file path.lock after it has released`
	}()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	defer func() { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }()
	return change()
}

// A fileLock is how a library does it: the name is that of the open file.
type fileLock struct{ fh *os.File }

func (l *fileLock) unlock() error {
	if err := unlockFile(l.fh); err != nil {
		return err
	}
	l.fh.Close()
	return os.Remove(l.fh.Name()) // want `unlock removes the lock file l.fh after it has released`
}

// breakOld takes the file of whoever has been at it for long.
func breakOld(dir string) (*os.File, error) {
	lockPath := filepath.Join(dir, "boot.lock")
	if info, err := os.Stat(lockPath); err == nil && info.Size() > 0 {
		os.Remove(lockPath) // want `breakOld removes the lock file dir/boot.lock without the lock`
	}
	f, err := os.OpenFile(lockPath, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return f, lockExclusive(f)
}

// lock fills the field that unlock and close use.
func (l *fileLock) lock(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := lockExclusive(f); err != nil {
		f.Close()
		return err
	}
	l.fh = f
	return nil
}

// closing lets go by closing the file.
func closing(dir string) error {
	lockPath := filepath.Join(dir, "closing.lock")
	f, err := os.OpenFile(lockPath, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := lockExclusive(f); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Remove(lockPath) // want `closing removes the lock file dir/closing.lock after it has released`
}
