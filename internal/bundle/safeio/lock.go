package safeio

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrLocked is what TryLock and TryRLock say if the lock is held.
var ErrLocked = errors.New("locked by another process or goroutine")

// A Held is a lock on a hidden file beside the one that it guards, ".safeio-NAME.lock", as the module has it; where the
// directory may not be written, on the file itself. It excludes only those who lock, and ends with the process. The
// module does more: it keeps an order among processes, knows who holds a lock, and refuses NFS.
type Held struct {
	name string
	file *os.File
}

// Lock waits for the lock of the named file, RLock for one that many can hold to read it. With a context they wait until
// that is done. TryLock and TryRLock do not wait: their error matches ErrLocked.
func Lock(name string) (*Held, error)  { return LockContext(context.Background(), name) }
func RLock(name string) (*Held, error) { return RLockContext(context.Background(), name) }

func LockContext(ctx context.Context, name string) (*Held, error)  { return lock(ctx, name, tryAlone) }
func RLockContext(ctx context.Context, name string) (*Held, error) { return lock(ctx, name, tryShared) }

func TryLock(name string) (*Held, error)  { return tryLock(name, tryAlone) }
func TryRLock(name string) (*Held, error) { return tryLock(name, tryShared) }

// Name returns the name given to Lock.
func (h *Held) Name() string { return h.name }

// Unlock releases the lock, also where a process that is just being started has the file open. It can be called once.
func (h *Held) Unlock() error {
	unlock(h.file) // closing it does, too
	if h.file.Close() != nil {
		return &os.PathError{Op: "unlock", Path: h.name, Err: os.ErrClosed}
	}
	return nil
}

// turns has a channel for each file of which a goroutine waits for the lock: one at a time does that.
var turns sync.Map

func lock(ctx context.Context, name string, try func(*os.File) error) (*Held, error) {
	key, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	next, _ := turns.LoadOrStore(key, make(chan struct{}, 1))
	turn := next.(chan struct{})
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
	}
	for ctx.Err() == nil {
		h, err := tryLock(name, try)
		if !errors.Is(err, ErrLocked) {
			return h, err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return nil, &os.PathError{Op: "lock", Path: name, Err: ctx.Err()}
}

// tryLock locks the file that has the name of the lock file after that, too.
func tryLock(name string, try func(*os.File) error) (*Held, error) {
	t, err := locate(name)
	for err == nil {
		var f *os.File
		if f, err = openLock(t); err != nil {
			break
		}
		if err = try(f); err != nil {
			f.Close()
			break
		}
		if isCurrent(f, t) {
			return &Held{name, f}, nil
		}
		f.Close()
	}
	return nil, &os.PathError{Op: "lock", Path: name, Err: err}
}

// lockPath is the lock file of a target.
func (t target) lockPath() string {
	dir, base := filepath.Split(t.path)
	return dir + ".safeio-" + base + ".lock"
}

// openLock opens the lock file, or the target itself if there can be none.
func openLock(t target) (*os.File, error) {
	for try := 0; ; try++ {
		f, err := os.OpenFile(t.lockPath(), os.O_RDWR, 0)
		if errors.Is(err, os.ErrPermission) { // reading it is enough to lock it
			f, err = os.OpenFile(t.lockPath(), os.O_RDONLY, 0)
		}
		if !errors.Is(err, os.ErrNotExist) || try == 100 {
			return f, err
		}
		if err = createLock(t); err != nil && !errors.Is(err, os.ErrExist) {
			if t.info != nil && lockable && blocked(err) {
				return os.OpenFile(t.path, os.O_RDWR, 0)
			}
			return nil, err
		}
	}
}

// createLock makes a lock file, which has its name only when all can open it who may write the target.
func createLock(t target) error {
	f, err := newTemp(t.lockPath(), 0o622)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	letWriters(f, t.info)
	if err = os.Link(f.Name(), t.lockPath()); err == nil || errors.Is(err, os.ErrExist) {
		return err
	}
	// A file has only one name here.
	f, err = os.OpenFile(t.lockPath(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o622)
	if err == nil {
		letWriters(f, t.info)
	}
	return err
}

// isCurrent reports whether f is the file to lock for the target.
func isCurrent(f *os.File, t target) bool {
	have, err := f.Stat()
	if err != nil {
		return false
	}
	want, err := os.Stat(t.lockPath())
	if errors.Is(err, os.ErrNotExist) && t.info != nil {
		want, err = os.Stat(t.path)
	}
	return err == nil && os.SameFile(have, want)
}
