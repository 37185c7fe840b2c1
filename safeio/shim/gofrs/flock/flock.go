// Package flock has the functions of github.com/gofrs/flock, made with package safeio:
// a program that goes over needs another import path and nothing else. It locks the
// same file in the same way, so it goes together with programs that use the original.
// What is different stands in docs/migrate.md of the repository.
package flock

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/lockvet/lockvet/safeio"
)

// An Option says how a lock file is made.
type Option func(f *Flock)

// SetFlag does nothing: the lock file is opened for reading and writing where that is
// permitted.
func SetFlag(flag int) Option { return func(*Flock) {} }

// SetPermissions sets the permissions of a new lock file, less the umask.
func SetPermissions(perm fs.FileMode) Option { return func(f *Flock) { f.perm = perm } }

// A Flock is a lock that this object has or has not. A second Lock of one that has it
// does nothing, whoever calls it.
type Flock struct {
	path string
	perm fs.FileMode

	mu   sync.Mutex   // guards what follows, and is not held by those who wait
	held *safeio.Held // nil if it has none
	read bool         // held is for reading
}

// New makes a lock of the file path, which is created when it is needed.
func New(path string, opts ...Option) *Flock {
	f := &Flock{path: path, perm: 0o600}
	for _, o := range opts {
		o(f)
	}
	return f
}

// NewFlock is New.
func NewFlock(path string) *Flock { return New(path) }

// Path is the lock file.
func (f *Flock) Path() string { return f.path }

// String is Path.
func (f *Flock) String() string { return f.path }

// Stat describes the lock file.
func (f *Flock) Stat() (fs.FileInfo, error) { return os.Stat(f.path) }

// Locked reports whether it holds the lock.
func (f *Flock) Locked() bool { return f.has(false) }

// RLocked reports whether it holds the lock for reading.
func (f *Flock) RLocked() bool { return f.has(true) }

func (f *Flock) has(read bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.held != nil && f.read == read
}

// Lock waits for the lock. One for reading is released first.
func (f *Flock) Lock() error { return f.wait(context.Background(), false) }

// RLock waits for the lock for reading. If it holds the lock, it keeps that.
func (f *Flock) RLock() error { return f.wait(context.Background(), true) }

// TryLock acquires the lock if nobody holds it.
func (f *Flock) TryLock() (bool, error) { return f.try(false) }

// TryRLock acquires the lock for reading if nobody holds it but for reading.
func (f *Flock) TryRLock() (bool, error) { return f.try(true) }

// TryLockContext waits for the lock until ctx is done. It does not poll, so retryDelay
// is not used.
func (f *Flock) TryLockContext(ctx context.Context, retryDelay time.Duration) (bool, error) {
	err := f.wait(ctx, false)
	return err == nil, err
}

// TryRLockContext is TryLockContext for reading.
func (f *Flock) TryRLockContext(ctx context.Context, retryDelay time.Duration) (bool, error) {
	err := f.wait(ctx, true)
	return err == nil, err
}

// Unlock releases the lock, if it holds it.
func (f *Flock) Unlock() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.letGo()
}

// Close is Unlock.
func (f *Flock) Close() error { return f.Unlock() }

func (f *Flock) letGo() error {
	held := f.held
	f.held = nil
	if held == nil {
		return nil
	}
	return held.Unlock()
}

// begin makes the lock file, and reports whether there is anything to wait for. A lock
// for reading that is to be one for writing is released.
func (f *Flock) begin(read bool) (safeio.Options, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := safeio.Options{LockFile: f.path}
	if f.held != nil {
		if read || !f.read {
			return o, false, nil
		}
		if err := f.letGo(); err != nil {
			return o, false, err
		}
	}
	file, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, f.perm)
	switch {
	case err == nil:
		err = file.Close()
	case errors.Is(err, fs.ErrExist):
		err = nil
	}
	return o, err == nil, err
}

// keep has the lock, unless another call has got one meanwhile.
func (f *Flock) keep(held *safeio.Held, read bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held != nil {
		return held.Unlock()
	}
	f.held, f.read = held, read
	return nil
}

func (f *Flock) wait(ctx context.Context, read bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o, needed, err := f.begin(read)
	if !needed {
		return err
	}
	lock := o.LockContext
	if read {
		lock = o.RLockContext
	}
	held, err := lock(ctx, f.path)
	if err != nil {
		return err
	}
	return f.keep(held, read)
}

func (f *Flock) try(read bool) (bool, error) {
	o, needed, err := f.begin(read)
	if !needed {
		return err == nil, err
	}
	lock := o.TryLock
	if read {
		lock = o.TryRLock
	}
	held, err := lock(f.path)
	if errors.Is(err, safeio.ErrLocked) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = f.keep(held, read)
	return err == nil, err
}
