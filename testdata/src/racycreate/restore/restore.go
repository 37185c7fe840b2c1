// Package restore renames a lock to see whether it is stale, and puts it back.
package restore

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

const staleAge = time.Minute

func lockJob(lock string) (func(), error) {
	token := strconv.Itoa(os.Getpid())
	for range 100 {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprint(f, token)
			return func() { os.Remove(lock) }, f.Close()
		}
		if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > staleAge && setAside(lock, token) {
			continue
		}
		time.Sleep(time.Second)
	}
	return nil, errors.New("timed out")
}

func setAside(lock, token string) bool {
	aside := lock + ".stale." + token
	if err := os.Rename(lock, aside); err != nil {
		return false
	}
	if info, err := os.Stat(aside); err == nil && time.Since(info.ModTime()) <= staleAge {
		os.Rename(aside, lock) // want `setAside puts lock back by a call that replaces what is there: who has made it since it was taken away loses it, and both go on`
		return false
	}
	os.Remove(aside)
	return true
}

// lockBoth takes two locks, each by itself.
func lockBoth(a, b string) error {
	for _, lock := range []string{a, b} {
		if _, err := lockJob(lock); err != nil { // ok: it is said where it stands
			return err
		}
	}
	return nil
}

// lockOnce puts it back only where there is none.
func lockOnce(lock string) error {
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		return f.Close()
	}
	info, err := os.Stat(lock)
	if err != nil || time.Since(info.ModTime()) <= staleAge {
		return errors.New("the lock is held")
	}
	aside := lock + ".aside"
	if err := os.Rename(lock, aside); err != nil {
		return err
	}
	if info, err := os.Stat(aside); err == nil && time.Since(info.ModTime()) <= staleAge {
		defer os.Remove(aside)
		return os.Link(aside, lock) // ok: a link replaces nothing
	}
	os.Remove(aside)
	return lockOnce(lock)
}

// save keeps what was there until the new content is in its place.
func save(config string, data []byte) error {
	old := config + ".bak"
	if err := os.Rename(config, old); err != nil {
		return err
	}
	f, err := os.OpenFile(config, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return errors.Join(err, os.Rename(old, config)) // ok: no lock
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Rename(old, config))
	}
	return os.Remove(old)
}
