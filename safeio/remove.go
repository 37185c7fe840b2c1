package safeio

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Remove removes the named file while it holds its lock, so not in the middle
// of a change by another process, and then the hidden lock file that this
// package has made for it (".safeio-NAME.lock"), which it still holds: whoever
// waits for that finds it gone and makes a new one. No other file is removed, nor
// one that [Options].LockFile names. nil means that the removal is durable.
//
// Like [os.Remove] it removes a symbolic link and not what that leads to. Links
// and special files have no lock: they are removed without. Directories are
// refused.
//
// The error is a *fs.PathError. For a missing file it matches
// [fs.ErrNotExist]; a lock file that was left of it is removed nevertheless. If
// the error matches [ErrPublished], the file is removed, but a power cut may
// bring it back. After any other the file is there. A lock file that cannot be
// removed is no error, for it stands for nothing. A caller that holds the lock
// itself must not call Remove, which would wait for it without end.
func Remove(name string) error { return Options{}.Remove(name) }

// RemoveContext is [Remove] with a wait for the lock that ends when ctx is done.
// The error then matches ctx.Err() and [context.Cause], and the file is there.
func RemoveContext(ctx context.Context, name string) error {
	return Options{}.RemoveContext(ctx, name)
}

// Remove is [Remove] with options.
func (o Options) Remove(name string) error {
	return o.RemoveContext(context.Background(), name)
}

// RemoveContext is [RemoveContext] with options.
func (o Options) RemoveContext(ctx context.Context, name string) error {
	t := target{name: name, path: name}
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.LockFile == "" && t.hasLockFile():
		return o.removeLocked(ctx, t)
	case err != nil:
		return t.wrap("remove", err)
	case info.IsDir():
		return t.wrap("remove", syscall.EISDIR)
	case !info.Mode().IsRegular():
		return o.unlink(t, func(directory) {})
	}
	return o.removeLocked(ctx, t)
}

// hasLockFile reports whether there is a lock file of t.
func (t target) hasLockFile() bool {
	if _, base := filepath.Split(t.path); base == "" {
		return false
	}
	_, err := os.Lstat(t.lockName())
	return err == nil
}

// removeLocked removes t, and its lock file while that is held.
func (o Options) removeLocked(ctx context.Context, t target) error {
	err := o.at("lock")
	if err != nil {
		return t.wrap("lock", err)
	}
	held, err := o.quiet().LockContext(ctx, t.path)
	if err != nil {
		return t.wrap("lock", err)
	}
	// Meanwhile the name may have become a link, whose lock is another one.
	if info, err := os.Lstat(t.path); err == nil && !info.Mode().IsRegular() {
		held.Unlock()
		return o.RemoveContext(ctx, t.name)
	}
	defer held.Unlock()
	return o.unlink(t, func(dir directory) {
		o.at("unlock")
		if o.LockFile == "" {
			dir.remove(target{path: t.base()}.lockName())
		}
	})
}

// unlink removes t, calls then when there is no t any more, and syncs the directory.
// The directory is opened first, and what is removed is kept until then: see
// File.replace.
func (o Options) unlink(t target, then func(directory)) error {
	err := o.at("opendir")
	var dir directory
	if err == nil {
		dir, err = openDirectory(t.dir())
	}
	defer dir.close()
	if err != nil {
		return t.wrap("opendir", err)
	}
	old, err := dir.keep(t.base())
	defer old.drop()
	if err == nil {
		err = o.at("remove")
	}
	if err == nil {
		err = dir.remove(t.base())
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		then(dir)
	}
	if err != nil {
		return t.wrap("remove", err)
	}
	if err = o.at("syncdir"); err == nil {
		err = dir.sync()
	}
	if err != nil {
		return t.published(err)
	}
	return nil
}
