package unlink

import (
	"os"
	"path/filepath"
	"syscall"
)

// prune removes what an ended session has left, and the directory, where that is empty then.
func prune(dir, id string) {
	path := filepath.Join(dir, id+".pruned.lock")
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return
	}
	_ = os.Remove(path) // want `prune removes the lock file .*no fix: the directory of the file is removed behind it`
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
	_ = os.Remove(dir)
}
