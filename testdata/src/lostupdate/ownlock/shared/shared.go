// Package shared reads files under their locks, and holds none.
package shared

import (
	"os"
	"syscall"
)

// Read holds the lock while it reads.
func Read(path string) ([]byte, error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	return os.ReadFile(path)
}
