// Package collected takes locks that nothing keeps.
package collected

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// only is to keep other instances out for as long as the program runs.
func only(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil { // want `only locks path and nothing keeps the open file: the garbage collector closes it.*no fix: what is to hold the lock, and until when, only its author can say`
		f.Close()
		return errors.New("another instance is running")
	}
	return nil
}

func direct(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // want `direct locks path and nothing keeps the open file`
}

// The number of a descriptor keeps nothing.
func number(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return -1, err
	}
	fd := int(f.Fd())
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil { // want `number locks path and nothing keeps the open file`
		f.Close()
		return -1, err
	}
	return fd, nil
}

// started is said once; the answer is whether another one runs.
func started() (bool, error) {
	f, err := os.OpenFile("/run/agentd.lock", os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return false, err
	}
	spec := syscall.Flock_t{Type: syscall.F_WRLCK}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &spec); err != nil { // want `started locks /run/agentd.lock and nothing keeps the open file`
		return true, err
	}
	return false, nil
}

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

func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }

// The open file is thrown away.
func serve() error {
	if _, err := open("/run/serve.lock"); err != nil { // want `serve locks /run/serve.lock and nothing keeps the open file.*no fix: something has to refer to the open file until the process ends: defer its Close behind the lock`
		return err
	}
	for {
		time.Sleep(time.Hour)
	}
}

func acquire(path string) (func(), error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	return func() { f.Close() }, nil
}

// So is the function that unlocks.
func work() error {
	_, err := acquire("/run/work.lock") // want `work locks /run/work.lock and nothing keeps the open file`
	if err != nil {
		return err
	}
	fmt.Println("at work")
	return nil
}

// A main program that never looks at the file again.
func run() {
	f, err := os.Create("/run/main.lock")
	if err != nil {
		panic(err)
	}
	if err := lock(f); err != nil { // want `run locks /run/main.lock and nothing keeps the open file`
		panic(err)
	}
	select {}
}
