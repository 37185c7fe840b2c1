//go:build unix && !linux

package safeio

import (
	"errors"
	"os"
	"syscall"
)

// A directory is one open for its sync, which on macOS is F_FULLFSYNC.
type directory struct{ f *os.File }

func openDirectory(path string) (directory, error) {
	if path == "" {
		path = "."
	}
	f, err := os.Open(path)
	if err != nil {
		return directory{}, err
	}
	return directory{f}, nil
}

// sync makes the names in the directory durable. A file system that has no
// such operation is no error; nor is a system that syncs only what is open
// for writing (EBADF), as a directory never is.
func (d directory) sync() error {
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
