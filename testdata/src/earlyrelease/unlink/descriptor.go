package unlink

import (
	"os"
	"syscall"
)

// acquirePath locks a file whose name its caller chooses, by a bare descriptor.
func acquirePath(path string) (release func() error, err error) {
	fd, err := syscall.Open(path, syscall.O_CREAT|syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	return func() error {
		if err := os.Remove(path); err != nil { // want `acquirePath removes the lock file path while it holds the lock`
			return err
		}
		if err := syscall.Flock(fd, syscall.LOCK_UN); err != nil {
			return err
		}
		return syscall.Close(fd)
	}, nil
}

// claimRecord keeps something in the file that it locks, which goes with the lock.
func claimRecord(path string, record []byte) (drop func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	if _, err := f.Write(record); err != nil {
		f.Close()
		return nil, err
	}
	return func() error {
		os.Remove(path) // want `claimRecord removes the lock file path while it holds the lock`
		return f.Close()
	}, nil
}
