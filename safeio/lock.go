package safeio

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
)

// A Held is a lock that is held, until [Held.Unlock]. It may be unlocked by
// another goroutine than the one that locked it. A Held that is forgotten
// keeps its lock until the process ends.
type Held struct {
	opts     Options
	name     string
	mode     lockMode
	file     lockFile
	queue    *queue
	itself   bool // file is that named
	unlocked atomic.Bool
}

// Name returns the name given to Lock: the file that is guarded, not the
// lock file.
func (h *Held) Name() string { return h.name }

// Unlock releases the lock. It can be called once; further calls do nothing
// and return an error that matches [fs.ErrClosed].
//
// Any other error is a *fs.PathError and means that the system did not
// confirm. Nothing is left to do: the process no longer takes part in the
// lock.
func (h *Held) Unlock() error {
	if h.unlocked.Swap(true) {
		return &fs.PathError{Op: "unlock", Path: h.name, Err: fs.ErrClosed}
	}
	if h.itself && h.mode == exclusive {
		ownLocks.Delete(h.file.id)
	}
	err := h.opts.letGo(h.file)
	h.queue.release(h.mode)
	if err != nil {
		return &fs.PathError{Op: "unlock", Path: h.name, Err: err}
	}
	return nil
}

// Lock waits until no one else has a lock on the named file, in this process
// or another, and acquires it. It excludes all that use Lock, RLock and their
// kind, and nobody else. What is guaranteed is in the package comment.
//
// A goroutine that already holds the lock and calls Lock or RLock waits for
// itself. The error is a *fs.PathError that carries name; it matches
// [errors.ErrUnsupported] where there are no locks to rely on.
func Lock(name string) (*Held, error) {
	return Options{}.Lock(name)
}

// RLock is [Lock] for reading: any number may hold the lock for reading, but
// not while one holds it from Lock. Whoever waits in Lock is not overtaken by
// a later RLock, so a goroutine must not take a second RLock while it has one.
func RLock(name string) (*Held, error) {
	return Options{}.RLock(name)
}

// LockContext is [Lock] with a wait that ends when ctx is done. The error then
// matches both ctx.Err() and [context.Cause]. If ctx is done already,
// nothing is touched, and no lock file is created.
//
// A wait that was given up never acquires the lock later. What may remain of it,
// while another process holds the lock, is one goroutine, thread and descriptor
// for each lock file and kind of lock (Lock, RLock), however many waits were
// given up: a system call that waits for a lock cannot be called back. The
// next to wait in this process makes use of it. With nobody to use it, it
// ends as soon as the other process releases the lock.
func LockContext(ctx context.Context, name string) (*Held, error) {
	return Options{}.LockContext(ctx, name)
}

// RLockContext is [RLock] with a wait that ends when ctx is done, as in
// [LockContext].
func RLockContext(ctx context.Context, name string) (*Held, error) {
	return Options{}.RLockContext(ctx, name)
}

// TryLock is [Lock] that does not wait. If another holds the lock, or was first
// to wait for it in this process, the error matches [ErrLocked] and has a
// [*LockedError], which knows who. Between processes it takes what is
// free, also from under those who wait.
func TryLock(name string) (*Held, error) {
	return Options{}.TryLock(name)
}

// TryRLock is [RLock] that does not wait, as [TryLock]. Others that read are
// no obstacle.
func TryRLock(name string) (*Held, error) {
	return Options{}.TryRLock(name)
}

// Lock is [Lock] with options.
func (o Options) Lock(name string) (*Held, error) {
	return o.lock(context.Background(), name, exclusive)
}

// RLock is [RLock] with options.
func (o Options) RLock(name string) (*Held, error) {
	return o.lock(context.Background(), name, shared)
}

// LockContext is [LockContext] with options.
func (o Options) LockContext(ctx context.Context, name string) (*Held, error) {
	return o.lock(ctx, name, exclusive)
}

// RLockContext is [RLockContext] with options.
func (o Options) RLockContext(ctx context.Context, name string) (*Held, error) {
	return o.lock(ctx, name, shared)
}

// TryLock is [TryLock] with options.
func (o Options) TryLock(name string) (*Held, error) { return o.tryLock(name, exclusive) }

// TryRLock is [TryRLock] with options.
func (o Options) TryRLock(name string) (*Held, error) { return o.tryLock(name, shared) }

// ErrLocked is what [TryLock] and [TryRLock] say if another holds the lock.
var ErrLocked = errors.New("locked")

// A LockedError is ErrLocked with the holder of the lock.
type LockedError struct {
	ours bool // a goroutine of this process
	id   lockID

	once   sync.Once
	holder string
}

// Holder says who holds the lock: "this process", "process 1234 (name)", or
// "another process" where the system does not tell. It is found out when
// first asked for, so it may be one that came later, and is for people to
// read. Only Linux tells (/proc/locks), and no more than the caller's PID
// namespace shows.
func (e *LockedError) Holder() string {
	e.once.Do(func() {
		e.holder = "this process"
		if !e.ours {
			e.holder = findHolder(e.id)
		}
	})
	return e.holder
}

func (e *LockedError) Error() string { return "locked by " + e.Holder() }

// Is makes a LockedError match [ErrLocked].
func (e *LockedError) Is(target error) bool { return target == ErrLocked }
