// Package callers takes stale locks away by another package.
package callers

import (
	"errors"
	"os"
	"strconv"
	"time"

	"racycreate/across/lockutil"
)

const staleAge = time.Minute

func fresh(path string) bool {
	info, err := os.Stat(path)
	return err == nil && time.Since(info.ModTime()) <= staleAge
}

// verified says of the file that was renamed whether it is in use.
func verified(lock string) error {
	for range 10 {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return f.Close()
		}
		if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > staleAge {
			_, err := lockutil.Reclaim(lock, strconv.Itoa(os.Getpid()), func(aside string) bool { // ok: it looks at what was renamed
				info, err := os.Stat(aside)
				return err == nil && time.Since(info.ModTime()) <= staleAge
			})
			if err != nil {
				return err
			}
		}
	}
	return errors.New("the lock is held")
}

// blind says it of the file that is gone.
func blind(lock string) error {
	for range 10 {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return f.Close()
		}
		if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > staleAge {
			if _, err := lockutil.Blind(lock, strconv.Itoa(os.Getpid()), func(old string) bool { return fresh(old) }); err != nil { // want `blind renames lock where it takes it for stale`
				return err
			}
		}
	}
	return errors.New("the lock is held")
}

// swept has the other package decide whether the lock is removed.
func swept(lock string) error {
	lockutil.SweepDead(lock) // ok: it may leave the lock there
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return errors.New("the lock is held")
	}
	return f.Close()
}
