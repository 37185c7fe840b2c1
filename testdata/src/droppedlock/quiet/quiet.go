// Package quiet keeps its locks.
package quiet

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"
)

var instance *os.File

func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// Kept by a package variable.
func only(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := lock(f); err != nil {
		f.Close()
		return err
	}
	instance = f
	return nil
}

// Kept by the caller.
func open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func held(path string, do func() error) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return do()
}

// Kept by the function that unlocks.
func acquire(path string) (func() error, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	return f.Close, nil
}

func deferred(path string) error {
	unlock, err := acquire(path)
	if err != nil {
		return err
	}
	defer unlock()
	return nil
}

// Let go by hand.
func byHand(path string, do func() error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := lock(f); err != nil {
		return errors.Join(err, f.Close())
	}
	err = do()
	f.Close()
	return err
}

// Kept alive.
func run() {
	f, err := os.OpenFile("/run/run.lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	if err := lock(f); err != nil {
		panic(err)
	}
	for range 10 {
		time.Sleep(time.Hour)
	}
	runtime.KeepAlive(f)
}

// It asks whether another has the lock, and lets go of it at once.
func isLocked(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	return lock(f) != nil
}

// What unlocks may fail without harm.
func unlock(f *os.File) {
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
}

// Where another has the lock there is nothing to do.
func once(path string, do func()) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := lock(f); err != nil {
		return nil
	}
	do()
	return f.Close()
}
