package safeio

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Sweep removes from the directory dir what this package made there and nobody
// needs any more, and returns how many files that were. A program that keeps files
// in dir may call it at any time, as when it starts. These are:
//
//   - temporary files that writers left behind when they died
//     (".safeio-<random>.tmp");
//   - lock files (".safeio-NAME.lock") of files that are not there, which a Remove
//     that was killed leaves behind;
//   - lock files of older versions of this package ("NAME.lock"), each only if it
//     is empty, has a successor (".safeio-NAME.lock") that is newer, and has not been
//     touched for a day: other programs, such as git, use that name, too.
//
// A living writer holds its temporary locked, so what Sweep can lock belongs
// to nobody; one that has made a temporary but not locked it yet notices that
// Sweep came in between, and makes another. In the same way whoever waits for a lock
// file that is removed makes another. Sweep removes nothing else: no other names, no
// links, nothing below dir. What the caller may not open is left alone, too.
//
// The error is what kept Sweep from looking at dir or from removing some of
// them, each a *fs.PathError; it goes on with the rest. Where there are
// no locks the error matches [errors.ErrUnsupported], and nothing is removed.
// On a network file system whose locks do not reach other machines, Sweep would
// take their living writers for dead.
func Sweep(dir string) (removed int, err error) {
	if err := tryLock((*os.File)(nil)); errors.Is(err, errors.ErrUnsupported) {
		return 0, &fs.PathError{Op: "sweep", Path: dir, Err: errors.ErrUnsupported}
	}
	entries, err := os.ReadDir(dir)
	failures := []error{err}
	if len(entries) == 0 {
		return 0, err
	}
	if dir != "" && !os.IsPathSeparator(dir[len(dir)-1]) {
		dir += string(os.PathSeparator)
	}
	d, err := openDirectory(dir)
	defer d.close()
	if err != nil {
		return 0, &fs.PathError{Op: "sweep", Path: dir, Err: err}
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		var dead bool
		var err error
		switch name := e.Name(); {
		case isTemp(name):
			dead, err = sweepOne(d, name)
		case isIdleLock(dir, name), isOldLock(dir, name):
			dead, err = sweepLock(d, name)
		}
		if dead {
			removed++
		}
		failures = append(failures, err)
	}
	return removed, errors.Join(failures...)
}

func isTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// isIdleLock reports whether name is a lock file of this package for a file of dir
// that is not there.
func isIdleLock(dir, name string) bool {
	target, ours := strings.CutPrefix(name, lockPrefix)
	target, locks := strings.CutSuffix(target, lockSuffix)
	if !ours || !locks || target == "" {
		return false
	}
	_, err := os.Lstat(dir + target)
	return errors.Is(err, fs.ErrNotExist)
}

// quiet is how long a lock file of an older version must have been left alone.
const quiet = 24 * time.Hour

// isOldLock reports whether name is a lock file that an older version of this
// package has made.
func isOldLock(dir, name string) bool {
	base, locks := strings.CutSuffix(name, lockSuffix)
	if !locks || base == "" {
		return false
	}
	old, err1 := os.Lstat(dir + name)
	successor, err2 := os.Lstat(target{path: dir + base}.lockName())
	return err1 == nil && err2 == nil && old.Size() == 0 && successor.Mode().IsRegular() &&
		old.ModTime().Before(successor.ModTime()) && time.Since(old.ModTime()) > quiet
}

// sweepLock removes the lock file called name if nobody holds the lock. Whoever waits
// for it by then finds it gone.
func sweepLock(d directory, name string) (removed bool, err error) {
	path := d.path + name
	o := Options{LockFile: path}
	held, err := lockRequest{opts: o, ctx: context.Background(), name: path, try: true, noLink: true}.acquire()
	if errors.Is(err, ErrLocked) || errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer held.Unlock()
	f, err := openStale(d, name)
	if err != nil {
		return false, nil
	}
	defer f.Close()
	if id, err := idOf(f); err != nil || id != held.file.id {
		return false, nil
	}
	return removedBy(d, name)
}

// sweepOne removes the temporary called name if it can be locked. While it is
// locked no writer can claim it, so that the name cannot become somebody's.
func sweepOne(d directory, name string) (removed bool, err error) {
	path := d.path + name
	f, err := openStale(d, name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = tryLock(f)
	if errors.Is(err, errLocked) {
		return false, nil
	}
	if err != nil {
		return false, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	// Its writer may have renamed it over its target before it released it.
	if !isNameOf(path, f) {
		return false, nil
	}
	return removedBy(d, name)
}

// removedBy removes a file of d, unless another process was first.
func removedBy(d directory, name string) (removed bool, err error) {
	err = d.remove(name)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, &fs.PathError{Op: "remove", Path: d.path + name, Err: err}
}

// isNameOf reports whether name is a name of f, without following links.
func isNameOf(name string, f *os.File) bool {
	info, err1 := f.Stat()
	named, err2 := os.Lstat(name)
	return err1 == nil && err2 == nil && info.Mode().IsRegular() && os.SameFile(info, named)
}
