package safeio

import (
	"bytes"
	"errors"
	"io"
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
// is whole from the moment that it has its name. It has the owner, group, mode and, on Linux,
// ACL of the file as far as [WriteFile] keeps them, so that nobody may read it who may not
// read the file. nil means that a copy made now survives a power cut.
//
// The error is a *fs.PathError with the given name. It matches [fs.ErrExist] where all ten names
// are taken, and [ErrPublished] where the copy is there, but may not survive a power cut. What
// is not a regular file has no copy, nor has one that is such a copy itself: the
// error then matches [errors.ErrUnsupported]. A copy that is not complete is removed; a process
// that is killed may leave a temporary file, which [Sweep] removes.
func Backup(name string) error {
	err := backUp(target{name: name, path: name})
	if err != nil {
		err = &fs.PathError{Op: "backup", Path: name, Err: cause(err)}
	}
	return err
}

func backUp(t target) error {
	info, err := os.Stat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular(), isBackup(t.path):
		return errors.ErrUnsupported
	}
	f, err := openToRead(t.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = errChanged
	}
	if err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	for n := 0; n < backups; n++ {
		if holds(t.path+backupName(n), data) {
			return nil
		}
	}
	return copyOf(t, f, info, data)
}

// copyOf puts a copy of f, which holds data, beside t.
func copyOf(t target, f *os.File, info fs.FileInfo, data []byte) error {
	from, err := sourceOf(f)
	if err != nil {
		return err
	}
	c := &File{target: t}
	if c.dir, err = openDirectory(t.dir()); err != nil {
		return err
	}
	var made fs.FileInfo
	if c.out, made, err = c.opts.temp(c.dir, narrow(info.Mode().Perm()), openForFile); err != nil {
		c.dir.close()
		return err
	}
	defer c.dir.close()
	defer c.out.Close()
	if err = keepAttributes(c.out, made, from); err == nil {
		_, err = c.out.Write(data)
	}
	if err == nil {
		err = syncFile(c.out)
	}
	if err == nil {
		err = c.publishCopy()
	}
	if unremoved := c.dir.remove(c.temp()); err == nil && !errors.Is(unremoved, fs.ErrNotExist) {
		err = unremoved
	}
	if err != nil {
		return err
	}
	if err := c.dir.sync(); err != nil {
		return t.published(err)
	}
	return nil
}

// publishCopy gives the temporary the first name of a copy that is free. Where files have
// only one name, it is renamed; then only looking tells whether a name is free.
func (f *File) publishCopy() (err error) {
	for n := 0; n < backups; n++ {
		to := f.target.base() + backupName(n)
		if err = f.dir.link(f.temp(), to); err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			if _, err = os.Lstat(f.dir.path + to); errors.Is(err, fs.ErrNotExist) {
				return f.dir.rename(f.temp(), to)
			}
		}
	}
	return fs.ErrExist
}

// backupSuffix ends the name of a copy, before its number.
const backupSuffix = ".bak"

// backupName is what the name of the n-th copy has behind that of its file.
func backupName(n int) string {
	if n == 0 {
		return backupSuffix
	}
	return backupSuffix + "." + strconv.Itoa(n)
}

// isBackup reports whether a name is one that Backup gives.
func isBackup(name string) bool {
	for n := 0; n < backups; n++ {
		if strings.HasSuffix(name, backupName(n)) {
			return true
		}
	}
	return false
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
