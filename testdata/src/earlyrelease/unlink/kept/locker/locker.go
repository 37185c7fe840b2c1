// Package locker locks files that its callers put something into.
package locker

import (
	"os"
	"syscall"
)

// A Locker is an open file that can be locked.
type Locker struct{ file *os.File }

// New opens the file.
func New(path string) (*Locker, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &Locker{file: file}, nil
}

func (l *Locker) Lock() error   { return syscall.Flock(int(l.file.Fd()), syscall.LOCK_EX) }
func (l *Locker) Unlock() error { return syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN) }

func (l *Locker) Read(b []byte) (int, error)  { return l.file.Read(b) }
func (l *Locker) Write(b []byte) (int, error) { return l.file.Write(b) }
func (l *Locker) Close() error                { return l.file.Close() }
