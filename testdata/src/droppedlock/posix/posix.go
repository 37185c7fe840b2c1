// Package posix closes files on which it has POSIX record locks.
package posix

import (
	"io"
	"os"
	"syscall"
)

func setLock(f *os.File, kind int16) error {
	return syscall.FcntlFlock(f.Fd(), syscall.F_SETLKW, &syscall.Flock_t{Type: kind})
}

func reread(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLKW, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		return nil, err
	}
	return os.ReadFile(path) // want `reread opens and closes path while it has a POSIX lock on it: closing any open file of it releases the lock`
}

func second(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := setLock(f, syscall.F_WRLCK); err != nil {
		return err
	}
	if err := size(path); err != nil { // want `second opens and closes path while it has a POSIX lock on it`
		return err
	}
	_, err = f.WriteString("x")
	return err
}

func size(path string) error {
	g, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, g)
	g.Close()
	return err
}

// The file is read through the handle that holds the lock.
func same(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := setLock(f, syscall.F_RDLCK); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// The lock is let go before.
func after(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLKW, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		return nil, err
	}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_UNLCK}); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// A lock that belongs to the open file: F_OFD_SETLKW.
func owned(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := syscall.FcntlFlock(f.Fd(), 38, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// flock does not mind.
func flocked(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
