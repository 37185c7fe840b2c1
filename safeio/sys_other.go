//go:build !unix && !windows

package safeio

import (
	"errors"
	"io/fs"
	"os"
)

// noSync is what a file system without fsync says.
var noSync = []error{errors.ErrUnsupported}

func openTemp(name string, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
}

// unlinked cannot be told here.
func unlinked(output, fs.FileInfo) bool { return false }

func rename(from, to string) error { return os.Rename(from, to) }

// blocked reports whether err is the file system refusing to make or rename a
// file here, rather than failing at it.
func blocked(err error) bool { return errors.Is(err, fs.ErrPermission) }

// renameBlocked is blocked for an error of rename.
func renameBlocked(err error) bool { return blocked(err) }

// mayWrite fails as opening the file at path for writing would.
func mayWrite(path string, info, made fs.FileInfo) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// keepAttributes gives temp the permissions described by info.
func keepAttributes(temp output, made fs.FileInfo, path string, info fs.FileInfo) error {
	if made.Mode().Perm() == info.Mode().Perm() {
		return nil
	}
	return temp.Chmod(info.Mode().Perm())
}
