// Package locking has locks that are files.
package locking

import (
	"os"
	"syscall"
)

// A Locker is a file that is locked.
type Locker struct {
	file *os.File
	held bool
}

// NewLocker opens the file, and makes it where it is not there.
func NewLocker(path string) (*Locker, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &Locker{file: file}, nil
}

// Lock takes the lock, and waits for it if asked to.
func (l *Locker) Lock(wait bool) error {
	how := syscall.F_SETLK
	if wait {
		how = syscall.F_SETLKW
	}
	err := syscall.FcntlFlock(l.file.Fd(), how, &syscall.Flock_t{Type: syscall.F_WRLCK})
	l.held = err == nil
	return err
}

// Unlock lets go of the lock.
func (l *Locker) Unlock() error {
	return syscall.FcntlFlock(l.file.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_UNLCK})
}

// Close closes the file.
func (l *Locker) Close() error { return l.file.Close() }

// Name is what the file is called.
func (l *Locker) Name() string { return l.file.Name() }

// A Journal is a file that nobody locks.
type Journal struct{ file *os.File }

// OpenJournal opens the file.
func OpenJournal(path string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &Journal{file: file}, nil
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
