// Package lockedfile has the functions of cmd/go/internal/lockedfile and its copies,
// such as github.com/rogpeppe/go-internal/lockedfile, made with package safeio: a
// program that goes over needs another import path and nothing else. The lock is on a
// file beside, so programs that share a file go over together. What is different stands
// in docs/migrate.md of the repository.
package lockedfile

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/lockvet/lockvet/safeio"
)

// A File is an open file whose lock is held until Close. What is written to it is
// written in place, so that who reads without the lock can meet a part: Write and
// Transform replace the file.
type File struct {
	osFile
	held *safeio.Held
}

type osFile struct{ *os.File }

// OpenFile is os.OpenFile with the lock, which is one for reading unless flag has
// O_WRONLY or O_RDWR.
func OpenFile(name string, flag int, perm fs.FileMode) (*File, error) {
	if flag&os.O_CREATE == 0 {
		if _, err := os.Stat(name); err != nil {
			return nil, err // and no lock file is left of nothing
		}
	}
	lock := safeio.RLock
	if flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		lock = safeio.Lock
	}
	held, err := lock(name)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, errors.Join(err, held.Unlock())
	}
	return &File{osFile{f}, held}, nil
}

// Open opens a file for reading.
func Open(name string) (*File, error) { return OpenFile(name, os.O_RDONLY, 0) }

// Create empties or creates a file.
func Create(name string) (*File, error) {
	return OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// Edit opens a file for reading and writing, and creates it where there is none.
func Edit(name string) (*File, error) { return OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666) }

// Close closes the file and releases the lock. A second Close has an error.
func (f *File) Close() error {
	err := f.osFile.File.Close()
	if errors.Is(err, fs.ErrClosed) {
		return err
	}
	return errors.Join(err, f.held.Unlock())
}

// Read is os.ReadFile with the lock for reading. Who may not take that reads without:
// what Write and Transform write is whole at any time.
func Read(name string) ([]byte, error) {
	if _, err := os.Stat(name); err != nil {
		return nil, err
	}
	held, err := safeio.RLock(name)
	switch {
	case err == nil:
		defer held.Unlock()
	case !errors.Is(err, fs.ErrPermission):
		return nil, err
	}
	return os.ReadFile(name)
}

// Write replaces the file under its lock.
func Write(name string, content io.Reader, perm fs.FileMode) error {
	held, err := safeio.Lock(name)
	if err != nil {
		return err
	}
	defer held.Unlock()
	return safeio.WriteReader(name, content, perm)
}

// Transform replaces the file by what t makes of it, under its lock. t gets an empty
// slice where there is no file.
func Transform(name string, t func([]byte) ([]byte, error)) error {
	return safeio.Update(name, 0o666, func(old []byte) ([]byte, error) {
		if old == nil {
			old = []byte{}
		}
		next, err := t(old)
		if err == nil && next == nil {
			next = []byte{}
		}
		return next, err
	})
}

// A Mutex is the lock of the file Path, which goes together with programs that use the
// original.
type Mutex struct{ Path string }

// MutexAt is the lock of the file path, which must not be empty.
func MutexAt(path string) *Mutex {
	if path == "" {
		panic("lockedfile.MutexAt: path must be non-empty")
	}
	return &Mutex{Path: path}
}

// String names the lock.
func (mu *Mutex) String() string { return "lockedfile.Mutex(" + mu.Path + ")" }

// Lock waits for the lock, and returns what releases it.
func (mu *Mutex) Lock() (unlock func(), err error) {
	if mu.Path == "" {
		panic("lockedfile.Mutex: missing Path during Lock")
	}
	held, err := safeio.Options{LockFile: mu.Path}.Lock(mu.Path)
	if err != nil {
		return nil, err
	}
	return func() { held.Unlock() }, nil
}
