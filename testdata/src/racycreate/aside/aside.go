// Package aside renames locks that it takes for stale.
package aside

import (
	"errors"
	"os"
	"time"
)

const staleAge = time.Minute

func blind(lock string) error {
	for range 3 {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return f.Close()
		}
		info, err := os.Stat(lock)
		if err != nil {
			continue
		}
		if time.Since(info.ModTime()) < staleAge {
			return errors.New("the lock is held")
		}
		aside := lock + ".stale"
		if err := os.Rename(lock, aside); err == nil { // want `blind renames lock where it takes it for stale: of two processes that do, the slower one renames the fresh file of the faster one`
			os.Remove(aside)
		}
	}
	return errors.New("the lock is held")
}

// careful looks at what it has renamed.
func careful(lock string) error {
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return f.Close()
	}
	info, err := os.Stat(lock)
	if err != nil || time.Since(info.ModTime()) < staleAge {
		return errors.New("the lock is held")
	}
	aside := lock + ".stale"
	if err := os.Rename(lock, aside); err != nil {
		return err
	}
	moved, err := os.Stat(aside)
	if err != nil || !os.SameFile(info, moved) {
		return errors.Join(errors.New("the lock is held"), os.Link(aside, lock))
	}
	return careful(lock)
}

// fleeting asks for what it has renamed, and does not care for the answer.
func fleeting(lock string) error {
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return f.Close()
	}
	info, err := os.Stat(lock)
	if err != nil || time.Since(info.ModTime()) < staleAge {
		return errors.New("the lock is held")
	}
	aside := lock + ".old"
	if err := os.Rename(lock, aside); err != nil { // want `fleeting renames lock where it takes it for stale`
		return err
	}
	os.Stat(aside)
	return fleeting(lock)
}
