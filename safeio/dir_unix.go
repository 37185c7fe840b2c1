//go:build unix && !linux

package safeio

import (
	"errors"
	"os"
	"syscall"
)

// A directory is one open for its sync, which on macOS is F_FULLFSYNC.
type directory struct {
	path     string // ends in a separator, or is empty
	f        *os.File
	unsynced error // why it cannot be synced: it may not be read
}

// workingDir is where relative paths begin.
var workingDir directory

func openDirectory(path string) (directory, error) {
	name := path
	if name == "" {
		name = "."
	}
	f, err := os.Open(name)
	if errors.Is(err, syscall.EACCES) {
		return directory{path: path, unsynced: cause(err)}, nil
	}
	if err != nil {
		return directory{}, err
	}
	return directory{path: path, f: f}, nil
}

// openFile opens a file of d.
func (d directory) openFile(name string, flags int, perm uint32) (int, error) {
	for {
		fd, err := syscall.Open(d.path+name, flags|syscall.O_CLOEXEC, perm)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}

// rename is rename(2). os.Rename would first ask whether the target is a
// directory, which here it is known not to be.
func rename(from, to string) error {
	for {
		if err := syscall.Rename(from, to); err != syscall.EINTR {
			return err
		}
	}
}

// look describes the file called name, whatever it is, and opens it if it is a regular
// file or a directory. A link is not followed.
func (d directory) look(name string) (source, error) {
	found := source{}
	if err := syscall.Lstat(d.path+name, &found.st); err != nil {
		return source{}, err
	}
	return found.opened(d, name), nil
}

// sync makes the names in the directory durable. A file system that has no
// such operation is no error; nor is a system that syncs only what is open
// for writing (EBADF), as a directory never is.
func (d directory) sync() error {
	if d.unsynced != nil {
		return d.unsynced
	}
	err := d.f.Sync()
	if unsynced(err) || errors.Is(err, syscall.EBADF) {
		return nil
	}
	return err
}

func (d directory) close() {
	if d.f != nil {
		d.f.Close()
	}
}
