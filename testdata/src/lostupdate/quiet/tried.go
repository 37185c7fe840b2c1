package quiet

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

var errBusy = errors.New("another process has the lock")

// lockIdentified takes the lock and releases it again where the file is no longer the one
// that has the name.
func lockIdentified(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	mine, err := f.Stat()
	if err != nil {
		unlockFile(f)
		return nil, err
	}
	if named, err := os.Stat(path); err != nil || !os.SameFile(mine, named) {
		unlockFile(f)
		return nil, errBusy
	}
	return f, nil
}

func unlockFile(f *os.File) {
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
}

// identified has the lock: what takes it releases it only where it fails.
func identified(dir, run string) error {
	path := stateFile(dir)
	held, err := lockIdentified(path + ".lock")
	if err != nil {
		return err
	}
	defer unlockFile(held)
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, run)
	return save(path, s) // ok: the lock is held
}

// patient asks for the lock until it has it.
func patient(dir, run string) error {
	path := filepath.Join(dir, "patient.json")
	var held *os.File
	var err error
	for i := 0; i < 3; i++ {
		held, err = lockIdentified(path + ".lock")
		if err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return err
	}
	defer unlockFile(held)
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, run)
	return save(path, s) // ok: the loop is left with the lock
}
