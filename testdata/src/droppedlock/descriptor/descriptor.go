// Package descriptor unlocks through another open file than the one that is
// locked.
package descriptor

import (
	"os"
	"syscall"
)

// Guard is a lock file.
type Guard struct {
	path string
	file *os.File
}

// Lock locks the file and keeps it open.
func (g *Guard) Lock() error {
	f, err := os.OpenFile(g.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return err
	}
	g.file = f
	return nil
}

// Unlock opens the file once more.
func (g *Guard) Unlock() error {
	f, err := os.Open(g.path)
	if err != nil {
		return err
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // want `\(\*Guard\).Unlock unlocks g.path through a file that it has just opened and never locked`
}

func release(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // want `release unlocks path through a file that it has just opened and never locked`
	f.Close()
}

// Release lets go through the file that is locked.
func (g *Guard) Release() error {
	if err := syscall.Flock(int(g.file.Fd()), syscall.LOCK_UN); err != nil {
		return err
	}
	return g.file.Close()
}
