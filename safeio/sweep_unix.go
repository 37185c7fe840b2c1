//go:build unix

package safeio

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openStale opens a temporary of another process, whatever of its mode the
// caller may use, to lock it. What has meanwhile become something else under the
// same name is neither followed nor waited for.
func openStale(d directory, name string) (*os.File, error) {
	var fd int
	var err error
	for _, access := range []int{os.O_RDWR, os.O_RDONLY, os.O_WRONLY} { // NFS locks only what may be written
		fd, err = d.openFile(name, access|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err == nil {
			return os.NewFile(uintptr(fd), d.path+name), nil
		}
		if !errors.Is(err, fs.ErrPermission) {
			break
		}
	}
	return nil, &fs.PathError{Op: "open", Path: d.path + name, Err: err}
}
