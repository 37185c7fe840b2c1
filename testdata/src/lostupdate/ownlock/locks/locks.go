// Package locks takes the lock of any file.
package locks

import (
	"os"
	"syscall"
)

// Acquire holds the lock of a file until what it returns is called.
func Acquire(path string) (func(), error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
