package reclaim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// take makes a lock, and fails where another process has it.
func take(lock string) (func(), error) {
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if os.IsExist(err) {
		return nil, errors.New("another process has the lock")
	}
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		os.Remove(lock) // ok: its own, of which it makes no use
		return nil, err
	}
	return func() { os.Remove(lock) }, nil
}

// removeFirst takes the lock from whoever has it.
func removeFirst(name string) error {
	lock := name + ".lock"
	if err := os.RemoveAll(lock); err != nil { // want `removeFirst removes name.lock before it makes it, whoever has made it: of two processes the slower one removes the fresh file of the faster one, and both go on`
		return err
	}
	release, err := take(lock)
	if err != nil {
		return err
	}
	defer release()
	return work(name)
}

// eachTime does it anew in each round.
func eachTime(name string) error {
	lock := name + ".lock"
	for range 3 {
		sweep(lock) // want `eachTime removes name.lock before it makes it, whoever has made it`
		if release, err := take(lock); err == nil {
			defer release()
			return work(name)
		}
	}
	return errors.New("the lock is held by another process")
}

func sweep(lock string) { os.Remove(lock) }

// onRequest does so where its user asks for it.
func onRequest(name string, force bool) error {
	lock := name + ".lock"
	if force {
		os.Remove(lock) // ok: the user says that nobody has it
	}
	release, err := take(lock)
	if err != nil {
		return err
	}
	defer release()
	return work(name)
}

// swept does so where another function finds it right.
func swept(name string) error {
	lock := name + ".lock"
	sweepDead(lock) // ok: it may leave the lock there
	release, err := take(lock)
	if err != nil {
		return err
	}
	defer release()
	return work(name)
}

func sweepDead(lock string) {
	if os.Getenv("BOOT") != "" {
		os.Remove(lock) // ok
	}
}

// both takes the lock twice, and gives it back in between.
func both(name string) error {
	lock := name + ".lock"
	release, err := take(lock)
	if err != nil {
		return err
	}
	err = work(name)
	release() // ok: its own
	if err != nil {
		return err
	}
	if release, err = take(lock); err != nil {
		return err
	}
	defer release()
	return work(name)
}

// inTurn takes it again after the one that releases it.
func inTurn(name string) error {
	if err := onRequest(name, false); err != nil {
		return err
	}
	return onRequest(name, false)
}

// draft is no lock: it is written and moved.
func draft(name string) error {
	part := filepath.Join(filepath.Dir(name), "draft.part")
	os.Remove(part) // ok: what a run that was killed has left
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	fmt.Fprintln(f, name)
	return f.Close()
}

func work(name string) error { return os.Chmod(name, 0o600) }

// byDirectory has a directory for a lock.
func byDirectory(name string) error {
	lock := name + ".lock"
	os.Remove(lock) // want `byDirectory removes name.lock before it makes it, whoever has made it`
	if err := os.Mkdir(lock, 0o700); err != nil {
		return errors.New("another process has the lock")
	}
	defer os.Remove(lock)
	return work(name)
}
