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
// of a change by another process, and then the file's lock file, which it
// still holds: whoever waits for that finds it gone and makes a new one.
// nil means that the removal is durable.
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
func Remove(name string) error { return Options{}.remove(name) }

// remove is [Remove] with options, of which only the hook counts.
func (o Options) remove(name string) error {
	t := target{name: name, path: name}
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.hasLockFile():
		return o.removeLocked(t)
	case err != nil:
		return t.wrap("remove", err)
	case info.IsDir():
		return t.wrap("remove", syscall.EISDIR)
	case !info.Mode().IsRegular():
		return o.unlink(t, func() {})
	}
	return o.removeLocked(t)
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
func (o Options) removeLocked(t target) error {
	err := o.at("lock")
	if err != nil {
		return t.wrap("lock", err)
	}
	held, err := LockContext(context.Background(), t.path)
	if err != nil {
		return t.wrap("lock", err)
	}
	// Meanwhile the name may have become a link, whose lock is another one.
	if info, err := os.Lstat(t.path); err == nil && !info.Mode().IsRegular() {
		held.Unlock()
		return o.remove(t.name)
	}
	defer held.Unlock()
	return o.unlink(t, func() {
		o.at("unlock")
		os.Remove(t.lockName())
	})
}

// unlink removes t, calls then when there is no t any more, and syncs the
// directory, which is opened first: see File.replace.
func (o Options) unlink(t target, then func()) error {
	err := o.at("opendir")
	var dir *directory
	if err == nil {
		dir, err = openDirectory(t.dir())
	}
	unopened := err
	defer dir.close()
	if unopened != nil && !errors.Is(unopened, fs.ErrPermission) {
		return t.wrap("opendir", unopened)
	}
	if err = o.at("remove"); err == nil {
		err = os.Remove(t.path)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		then()
	}
	if err != nil {
		return t.wrap("remove", err)
	}
	if unopened != nil {
		return t.published(unopened)
	}
	if err = o.at("syncdir"); err == nil {
		err = dir.sync()
	}
	if err != nil {
		return t.published(err)
	}
	return nil
}
