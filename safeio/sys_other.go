//go:build !unix && !windows

package safeio

import (
	"errors"
	"io/fs"
	"os"
)

// noSync is what a file system without fsync says.
var noSync = []error{errors.ErrUnsupported}

func createTemp(d directory, name string, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(d.path+name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
}

func openToWrite(d directory, name string) (*os.File, error) {
	return os.OpenFile(d.path+name, os.O_WRONLY, 0)
}

// unlinked cannot be told here.
func unlinked(output, fs.FileInfo) bool { return false }

func rename(from, to string) error { return os.Rename(from, to) }

// blocked reports whether err is the file system refusing to make or rename a
// file here, rather than failing at it.
func blocked(err error) bool { return errors.Is(err, fs.ErrPermission) }

// renameBlocked is blocked for an error of rename.
func renameBlocked(err error) bool { return blocked(err) }

// errChanged says that a name has come to lead to what is no regular file.
var errChanged = errors.New("another file has taken its place meanwhile")

// A source is the description of a file from which another takes its access.
type source struct{ info fs.FileInfo }

// openSource fails as opening the file for writing would.
func openSource(d directory, name string, info, made fs.FileInfo) (source, error) {
	f, err := openToWrite(d, name)
	if err != nil {
		return source{}, err
	}
	return source{info}, f.Close()
}

func sourceOf(f *os.File) (source, error) {
	info, err := f.Stat()
	return source{info}, err
}

func (source) close() {}

// sameInode reports whether two descriptions are of one file.
func sameInode(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

// keepAttributes gives temp the permissions of a file.
func keepAttributes(temp output, made fs.FileInfo, from source) error {
	if made.Mode().Perm() == from.info.Mode().Perm() {
		return nil
	}
	return temp.Chmod(from.info.Mode().Perm())
}
