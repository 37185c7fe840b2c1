package safeio

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// backups is how many copies of one file [Backup] keeps.
const backups = 10

// Backup keeps a copy of the named file beside it, for a program that cannot read what the
// file holds, goes on without, and saves something else there. The copy is NAME.bak, or the
// first of NAME.bak.1 to NAME.bak.9 that is free: no file is replaced. Where one of them holds the
// same already, there is nothing to do, nor is there where the named file is missing. The copy
// has the permissions of the file. nil means that a copy made now survives a power cut.
//
// The error is a *fs.PathError with the given name. It matches [fs.ErrExist] where all ten names
// are taken. What is not a regular file has no copy, nor has one that is such a copy itself: the
// error then matches [errors.ErrUnsupported]. A copy that is not complete is removed.
func Backup(name string) error {
	err := backUp(name)
	if err != nil {
		err = &fs.PathError{Op: "backup", Path: name, Err: cause(err)}
	}
	return err
}

func backUp(name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular(), isBackup(name):
		return errors.ErrUnsupported
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for n := 0; n < backups; n++ {
		to := name + backupSuffix
		if n > 0 {
			to += "." + strconv.Itoa(n)
		}
		if holds(to, data) {
			return nil
		}
		err := writeNew(to, data, info.Mode().Perm())
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fs.ErrExist
}

// backupSuffix ends the name of a copy, before its number.
const backupSuffix = ".bak"

// isBackup reports whether a name is one that Backup gives.
func isBackup(name string) bool {
	for n := 1; n < backups; n++ {
		if strings.HasSuffix(name, backupSuffix+"."+strconv.Itoa(n)) {
			return true
		}
	}
	return strings.HasSuffix(name, backupSuffix)
}

// holds reports whether a regular file has that content.
func holds(name string, data []byte) bool {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return false
	}
	old, err := os.ReadFile(name)
	return err == nil && bytes.Equal(old, data)
}

// writeNew makes a file that is not there yet, and has it on disk.
func writeNew(name string, data []byte, perm fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = syncFile(f)
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		os.Remove(name)
		return err
	}
	t := target{name: name, path: name}
	dir, err := openDirectory(t.dir())
	if errors.Is(err, fs.ErrPermission) {
		return nil // it may not be read, and so not be synced
	}
	if err != nil {
		return err
	}
	defer dir.close()
	return dir.sync()
}
