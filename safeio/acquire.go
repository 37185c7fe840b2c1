package safeio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"syscall"
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

// acquire attempts until the lock file stays where it is.
func (r lockRequest) acquire() (*Held, error) {
	for move := 1; ; move++ {
		var s sidecar
		err := r.cancelled()
		if err == nil {
			s, err = r.locate()
		}
		if err != nil {
			return nil, &fs.PathError{Op: "lock", Path: r.name, Err: cause(err)}
		}
		h, err := r.attempt(s)
		if err == nil {
			return h, nil
		}
		if err != errMoved || move == maxMoves {
			return nil, &fs.PathError{Op: "lock", Path: r.name, Err: r.explain(s, cause(err))}
		}
	}
}

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
		advice = "; it is for those who may write the file: its owner can let others in with chmod, and Options.LockFile can name another"
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
	err = r.check(q.id, s.path)
	if err != nil {
		r.opts.letGo(file)
		q.pass(r.mode)
		return nil, err
	}
	h := q.grant(r.mode)
	h.opts, h.name, h.mode, h.file, h.queue = r.opts, r.name, r.mode, file, q
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
}

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
	return sidecar{t, r.opts.lockName(t)}, err
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
		if id, err := r.opts.identify(s.path); err == nil {
			return lockFile{id: id}, nil
		}
	}
	return r.opts.openLock(s)
}

// identify tells which file is at path.
func (o Options) identify(path string) (id lockID, err error) {
	err = o.retry("lock.stat", func() (err error) {
		id, err = statLock(path)
		return err
	})
	return id, err
}

// check fails with errMoved unless path leads to the lock file id.
func (r lockRequest) check(id lockID, path string) error {
	now, err := r.opts.identify(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && now != id {
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
