package safeio

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
)

// backups is how many copies of one file [Backup] keeps.
const backups = 10

// Backup keeps a copy of the named file beside it, for a program that cannot read what the
// file holds, goes on without, and saves something else there. The copy is NAME.bak, or the
// first of NAME.bak.1 to NAME.bak.9 that is free: no file is replaced. Where one of them holds the
// same already, there is nothing to do, nor is there where the named file is missing. The copy
// has the mode of the file. nil means that it survives a power cut.
//
// The error is a *fs.PathError with the given name. It matches [fs.ErrExist] where all ten names
// are taken. What a copy that failed has left behind is removed.
func Backup(name string) error {
	err := backUp(name)
	if err != nil {
		err = &fs.PathError{Op: "backup", Path: name, Err: cause(err)}
	}
	return err
}

func backUp(name string) error {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for n := 0; n < backups; n++ {
		to := name + ".bak"
		if n > 0 {
			to += "." + strconv.Itoa(n)
		}
		if old, err := os.ReadFile(to); err == nil && bytes.Equal(old, data) {
			return nil
		}
		err := writeNew(to, data, info.Mode().Perm())
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fs.ErrExist
}

// writeNew makes a file that is not there yet, and has it on disk.
func writeNew(name string, data []byte, perm fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
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
	if err != nil {
		return err
	}
	defer dir.close()
	return dir.sync()
}
