// Package dirlock takes locks between processes for others.
package dirlock

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// Take takes the lock of a directory; who closes it lets go of it.
func Take(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, "dir.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
