package safeio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

// A lockMode is a kind of lock.
type lockMode int

const (
	exclusive lockMode = iota // Lock
	shared                    // RLock
)

// A lockRequest is one call of Lock or its kind.
type lockRequest struct {
	opts Options
	ctx  context.Context
	name string
	mode lockMode
	try  bool // do not wait

	sidecarOnly bool // do not lock the file itself
	noLink      bool // the lock file may not be a link
}

func (o Options) lock(ctx context.Context, name string, mode lockMode) (*Held, error) {
	return lockRequest{opts: o, ctx: ctx, name: name, mode: mode}.acquire()
}

func (o Options) tryLock(name string, mode lockMode) (*Held, error) {
	return lockRequest{opts: o, ctx: context.Background(), name: name, mode: mode, try: true}.acquire()
}

// errMoved says that the path has come to lead to another lock file.
var errMoved = errors.New("lock file is replaced all the time")

// maxMoves bounds the lock files that one request finds replaced. To meet it,
// the identity of a file has to be unstable: some file systems make it up.
const maxMoves = 10000

// errInUse says that a lock file is not made because another process holds the lock of
// the target itself.
var errInUse = errors.New("file itself is locked by another process")

// acquire attempts until the lock file stays where it is. Where no lock file can be made,
// it attempts to lock the target itself.
func (r lockRequest) acquire() (*Held, error) {
	start := time.Now()
	for move := 1; ; move++ {
		var s sidecar
		err := r.cancelled()
		if err == nil {
			s, err = r.locate()
		}
		if err != nil {
			return nil, &fs.PathError{Op: "lock", Path: r.name, Err: cause(err)}
		}
		s.hasty = time.Since(start) > ownPatience
		h, err := r.attempt(s)
		if r.mayLockItself(s, err) {
			if own, err2 := r.attempt(s.target.asLock()); !errors.Is(err2, errNotItself) {
				h, err = own, err2
			}
		}
		switch {
		case err == nil:
			return h, nil
		case err == errInUse && r.try:
			err = &LockedError{}
		case err == errInUse:
			time.Sleep(lockPause)
		}
		if err != errInUse && err != errMoved || move == maxMoves {
			return nil, &fs.PathError{Op: "lock", Path: r.name, Err: r.explain(s, cause(err))}
		}
	}
}

// ownPatience is how long to wait for a lock on the target itself: for that of an Append,
// and before a lock file is made. Its holder may be the caller, through another
// descriptor, or a program that has reasons of its own.
const ownPatience = 10 * time.Second

// errNotItself says why the target itself cannot be locked, either.
var errNotItself = errors.New("cannot be locked itself")

// mayLockItself reports whether err means that there can be no lock file of s, so that its
// target is to be locked itself. A lock file that others have made, but this process
// may not open, is another matter: they use it.
func (r lockRequest) mayLockItself(s sidecar, err error) bool {
	if err == nil {
		return false
	}
	var none *noLockFileError // which is not on the stack
	return errors.As(err, &none) && s.beside && !s.target.special && !r.sidecarOnly && !r.opts.Strict
}

// A noLockFileError says why there is no lock file, and none can be made.
type noLockFileError struct{ err error }

func (e *noLockFileError) Error() string { return e.err.Error() }

func (e *noLockFileError) Unwrap() error { return e.err }

// explain adds to err which lock file it is about, and what can be done.
func (r lockRequest) explain(s sidecar, err error) error {
	if stop := r.cancelled(); stop != nil {
		return err
	}
	advice := ""
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		advice = "; Options.LockFile can name one on another file system"
	case errors.Is(err, fs.ErrPermission):
		advice = "; Options.LockFile can name one elsewhere"
		if s.exists() {
			advice = "; it is for those who may write the file: its owner can let others in with chmod, and Options.LockFile can name another"
		}
	case elsewhere(err):
		advice = "; Options.LockFile can name one elsewhere"
	}
	return &lockFileError{s.path, err, advice}
}

// A lockFileError says which lock file err is about. Its text is not made before it
// is asked for, since that of a [LockedError] may look for the holder.
type lockFileError struct {
	path   string
	err    error
	advice string
}

func (e *lockFileError) Error() string {
	return "lock file " + e.path + ": " + e.err.Error() + e.advice
}

func (e *lockFileError) Unwrap() error { return e.err }

// attempt takes first the process's own turn at the lock file, then the lock
// of the system, and then looks whether the path still leads to that file.
func (r lockRequest) attempt(s sidecar) (*Held, error) {
	q, file, err := r.turn(s)
	if err != nil {
		return nil, err
	}
	file, err = r.obtain(q, file)
	if err != nil {
		q.pass(r.mode)
		return nil, err
	}
	err = r.check(q.id, s)
	if err != nil {
		r.opts.letGo(file)
		q.pass(r.mode)
		return nil, err
	}
	h := q.grant(r.mode)
	h.opts, h.name, h.mode, h.file, h.queue, h.itself = r.opts, r.name, r.mode, file, q, s.itself
	if h.itself && h.mode == exclusive {
		ownLocks.Store(file.id, true)
	}
	return h, nil
}

// cancelled is the reason why ctx is done, or nil. It matches ctx.Err() even
// if its cause is another error.
func (r lockRequest) cancelled() error {
	err := r.ctx.Err()
	if err == nil {
		return nil
	}
	why := context.Cause(r.ctx)
	if errors.Is(why, err) {
		return why
	}
	return fmt.Errorf("%w: %w", err, why)
}

// A sidecar is the lock file of a target.
type sidecar struct {
	target target
	path   string
	beside bool // it is the hidden one
	noLink bool // it may not be a link
	itself bool // it is the target, since there can be no other
	hasty  bool // it is made although the target is locked
}

// exists reports whether there is a lock file, if only a link of its name.
func (s sidecar) exists() bool {
	_, err := os.Lstat(s.path)
	return !errors.Is(err, fs.ErrNotExist)
}

// asLock is t as a lock file.
func (t target) asLock() sidecar { return sidecar{target: t, path: t.path, itself: true, noLink: true} }

// locate finds the lock file of what the name leads to. Unlike a write, a
// lock can also be for a directory or a socket.
func (r lockRequest) locate() (sidecar, error) {
	t := target{name: r.name, path: r.name}
	err := r.opts.retry("lock.locate", func() (err error) {
		if !isPlain(r.name) {
			t, err = locate(r.name)
		}
		if err == nil && t.special {
			t.path, err = resolve(r.name)
		}
		return err
	})
	hidden := r.opts.LockFile == ""
	return sidecar{target: t, path: r.opts.lockName(t), beside: hidden, noLink: r.noLink || hidden}, err
}

// resolve is the absolute path of something that exists. In it, "." has a
// name, and there are no symbolic links.
func resolve(name string) (string, error) {
	if name == "" {
		return "", fs.ErrNotExist
	}
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// opening counts the requests that may have a lock file open without having
// the turn. From maxOpening on they look at the file without opening
// it, lest thousands that are about to wait use up the descriptors.
var opening atomic.Int32

const maxOpening = 16

// turn waits for the turn at the lock file of s, and returns it open. While
// it waits nothing is open.
func (r lockRequest) turn(s sidecar) (*queue, lockFile, error) {
	q, w, file, err := r.join(s)
	if err == nil && w != nil {
		err = q.await(r.ctx, w)
	}
	if err != nil {
		return nil, file, err
	}
	if err = r.cancelled(); err == nil && !file.open {
		file, err = r.opts.openLock(s)
	}
	if err == nil && file.id != q.id {
		err = errMoved
	}
	if err != nil {
		file.close()
		q.pass(r.mode)
		return nil, file, err
	}
	return q, file, nil
}

// join lines up for the lock file of s. Without a waiter, the turn has come.
func (r lockRequest) join(s sidecar) (*queue, *waiter, lockFile, error) {
	many := opening.Add(1) > maxOpening
	defer opening.Add(-1)
	file, err := r.identify(s, many)
	if err != nil {
		return nil, nil, file, err
	}
	q, w, err := joinQueue(file.id, r.mode, r.try)
	if err != nil || w != nil {
		file.close()
		file = lockFile{}
	}
	return q, w, file, err
}

// identify opens the lock file of s, or, if many do so, only looks at it.
func (r lockRequest) identify(s sidecar, many bool) (lockFile, error) {
	if many {
		if id, err := r.opts.identify(s); err == nil {
			return lockFile{id: id}, nil
		}
	}
	file, err := r.opts.openLock(s)
	if err != nil && s.itself {
		err = fmt.Errorf("%w: %w", errNotItself, err)
	}
	return file, err
}

// identify tells which file is at the path of s.
func (o Options) identify(s sidecar) (id lockID, err error) {
	err = o.retry("lock.stat", func() (err error) {
		id, err = statLock(s)
		return err
	})
	return id, err
}

// check fails with errMoved unless the path of s leads to the lock file id. A target that
// is locked itself must have no lock file by now: see createLock.
func (r lockRequest) check(id lockID, s sidecar) error {
	now, err := r.opts.identify(s)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (now != id || s.itself && s.target.hasLockFile()) {
		return errMoved
	}
	return err
}

// obtain acquires the lock of the system on file, for whoever has the turn. The
// file that is returned has it, and may be another descriptor of the same
// file. On failure nothing stays open.
func (r lockRequest) obtain(q *queue, file lockFile) (lockFile, error) {
	err := r.opts.retry("lock.flock", func() error {
		if !r.try && file.awaited() {
			return errLocked
		}
		return file.tryFlock(r.mode)
	})
	switch {
	case err == nil:
		return file, nil
	case err != errLocked:
		file.close()
		return file, lockFailure(err)
	case r.try:
		file.close()
		return file, &LockedError{id: q.id}
	}
	return r.wait(q, file)
}

// lockFailure is the error of a system call that locks. It matches
// [errors.ErrUnsupported] if there are no locks where the file is.
func lockFailure(err error) error {
	if lockless(err) && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return err
}

// letGo releases the lock of file and closes it. The lock is released
// before, because a process that was forked may still have the
// descriptor. Whatever fails, the file is closed.
func (o Options) letGo(file lockFile) error {
	err := o.retry("lock.unlock", file.unlock)
	fault := o.at("lock.close")
	return errors.Join(err, cause(file.close()), fault)
}

// retry does the step name until no signal interrupts it.
func (o Options) retry(name string, do func() error) error {
	for {
		err := o.at(name)
		if err == nil {
			err = do()
		}
		if err != syscall.EINTR {
			return err
		}
	}
}
