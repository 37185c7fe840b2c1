// Package kept has lock files whose content says who is at work.
package kept

import (
	"bytes"
	"errors"
	"os"

	"earlyrelease/unlink/kept/locker"
)

// start writes down who is at work, and takes that away where it comes to nothing.
func start(name, id string, work func() error) error {
	path := name + ".lock"
	l, err := locker.New(path)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := l.Lock(); err != nil {
		return err
	}
	failed := true
	defer func() {
		if failed {
			os.Remove(path) // want `removes the lock file .* while it holds the lock.*no fix: what the program keeps in the file would stay there`
		}
		l.Unlock()
	}()
	if _, err := l.Write([]byte(id)); err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	failed = false
	return nil
}

// show reads who is at work, and leaves no file where nobody is.
func show(name string) (string, error) {
	path := name + ".lock"
	l, err := locker.New(path)
	if err != nil {
		return "", err
	}
	defer l.Close()
	if err := l.Lock(); err != nil {
		return "", err
	}
	defer l.Unlock()
	var id bytes.Buffer
	n, err := id.ReadFrom(l)
	if err != nil {
		return "", err
	}
	if n == 0 {
		os.Remove(path) // want `removes the lock file .* while it holds the lock.*no fix: what the program keeps in the file would stay there`
		return "", errors.New("nobody is at work")
	}
	return id.String(), nil
}

// once only locks.
func once(name string, work func() error) error {
	path := name + ".once.lock"
	l, err := locker.New(path)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := l.Lock(); err != nil {
		return err
	}
	err = work()
	os.Remove(path) // want `removes the lock file .* while it holds the lock`
	l.Unlock()
	return err
}

// either keeps the file for whoever asks for it.
func either(name string, keep bool, work, note func() error) error {
	path := name + ".once.lock"
	l, err := locker.New(path)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := l.Lock(); err != nil {
		return err
	}
	err = work()
	if keep {
		err = note()
	} else {
		os.Remove(path) // want `removes the lock file .* while it holds the lock`
	}
	l.Unlock()
	return err
}
