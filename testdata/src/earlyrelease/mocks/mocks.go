// Package mocks stands for parts of a program in its tests.
package mocks

import (
	"os"
	"syscall"
)

func with(path string, work func() error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return err
	}
	defer syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // ok: nothing but a test runs it
	defer f.Close()
	return work()
}
