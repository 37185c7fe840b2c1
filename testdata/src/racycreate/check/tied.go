package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

var errOther = errors.New("another process has the lock")

// first marks the first run elsewhere, and does not look whether it is.
func first(cache, dir string) error {
	if f, _ := os.OpenFile(filepath.Join(cache, "first-run"), os.O_CREATE|os.O_EXCL, 0o600); f != nil {
		f.Close()
	}
	lock := filepath.Join(dir, "first.lock")
	if _, err := os.Stat(lock); err == nil {
		return errOther
	}
	return os.WriteFile(lock, nil, 0o600) // want `first asks for dir/first.lock before it makes it`
}

// logged holds the lock of a log file.
func logged(logs, dir string) error {
	log, err := os.OpenFile(filepath.Join(logs, "app.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := syscall.Flock(int(log.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	lock := filepath.Join(dir, "logged.lock")
	if _, err := os.Stat(lock); err == nil {
		return errOther
	}
	return os.WriteFile(lock, nil, 0o600) // want `logged asks for dir/logged.lock before it makes it`
}

// late locks the file when all is written, with others, and does not ask whether it has.
func late(dir string) (*os.File, error) {
	lock := filepath.Join(dir, "late.lock")
	if _, err := os.Stat(lock); err == nil {
		return nil, errOther
	}
	f, err := os.Create(lock) // want `late asks for dir/late.lock before it makes it`
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(f, os.Getpid())
	syscall.Flock(int(f.Fd()), syscall.LOCK_SH) //lockvet:ignore droppedlock the test is about the file
	return f, nil
}
