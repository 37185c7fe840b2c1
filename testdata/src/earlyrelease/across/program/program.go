// Package program uses the locks of another package.
package program

import (
	"os"

	"earlyrelease/across/locking"
)

func end(config string, stop func() error) error {
	path := config + ".lock"
	l, err := locking.NewLocker(path)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := l.Lock(true); err != nil {
		return err
	}
	defer l.Unlock()
	if err := stop(); err != nil {
		return err
	}
	return os.Remove(path) // want `end removes the lock file config.lock while it holds the lock`
}

// other removes a file that has another lock.
func other(config string) error {
	l, err := locking.NewLocker(config + ".guard")
	if err != nil {
		return err
	}
	defer l.Close()
	if err := l.Lock(false); err != nil {
		return err
	}
	return os.Remove(config + ".lock.old") // ok: it is not the one that is locked
}

// journal removes a file that nobody locks.
func journal(path string) error {
	j, err := locking.OpenJournal(path + ".lock")
	if err != nil {
		return err
	}
	defer os.Remove(path + ".lock") // ok: no lock
	return j.Close()
}
