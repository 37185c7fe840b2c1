package library

import (
	"os"
	"syscall"
)

// A Held is a lock of which nothing but the file is known.
type Held struct {
	lockPath string
	fh       *os.File
}

// NewHeld makes the lock of a file.
func NewHeld(lockPath string) *Held { return &Held{lockPath: lockPath} }

// Take waits for the lock.
func (h *Held) Take() error {
	fh, err := os.OpenFile(h.lockPath, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600) // ok: a lock file has no content
	if err != nil {
		return err
	}
	h.fh = fh
	return syscall.Flock(int(fh.Fd()), syscall.LOCK_EX)
}
