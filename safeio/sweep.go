package safeio

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Sweep removes from the directory dir the temporary files that writers left
// behind when they died (".safeio-<random>.tmp"), and returns how many. A
// program that keeps files in dir may call it at any time, as when it starts.
//
// A living writer holds its temporary locked, so what Sweep can lock belongs
// to nobody; one that has made a temporary but not locked it yet notices that
// Sweep came in between, and makes another. Sweep removes nothing else: no other
// names, no links, nothing below dir. What the caller may not open is left
// alone, too.
//
// The error is what kept Sweep from looking at dir or from removing some of
// them, each a *fs.PathError; it goes on with the rest. Where there are
// no locks the error matches [errors.ErrUnsupported], and nothing is removed.
// On a network file system whose locks do not reach other machines, Sweep would
// take their living writers for dead.
func Sweep(dir string) (removed int, err error) {
	if err := tryLock(nil); errors.Is(err, errors.ErrUnsupported) {
		return 0, &fs.PathError{Op: "sweep", Path: dir, Err: errors.ErrUnsupported}
	}
	entries, err := os.ReadDir(dir)
	failures := []error{err}
	if dir != "" && !os.IsPathSeparator(dir[len(dir)-1]) {
		dir += string(os.PathSeparator)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !isTemp(e.Name()) {
			continue
		}
		dead, err := sweepOne(dir + e.Name())
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

// sweepOne removes the temporary called name if it can be locked. While it is
// locked no writer can claim it, so that the name cannot become somebody's.
func sweepOne(name string) (removed bool, err error) {
	f, err := openStale(name)
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
		return false, &fs.PathError{Op: "lock", Path: name, Err: err}
	}
	// Its writer may have renamed it over its target before it let go.
	if !leadsTo(name, f) {
		return false, nil
	}
	err = os.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// leadsTo reports whether name is a name of f, without following links.
func leadsTo(name string, f *os.File) bool {
	info, err1 := f.Stat()
	named, err2 := os.Lstat(name)
	return err1 == nil && err2 == nil && info.Mode().IsRegular() && os.SameFile(info, named)
}
