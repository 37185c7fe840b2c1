// Package lockutil takes away locks of which its callers say whether they are in use.
package lockutil

import "os"

// Reclaim renames the lock, asks whether that is in use, and puts it back if so.
func Reclaim(lock, suffix string, inUse func(aside string) bool) (bool, error) {
	aside := lock + ".stale." + suffix
	if err := os.Rename(lock, aside); err != nil {
		return false, err
	}
	if inUse(aside) {
		defer os.Remove(aside)
		return false, os.Link(aside, lock)
	}
	return true, os.Remove(aside)
}

// Blind renames the lock, and asks whether it was in use.
func Blind(lock, suffix string, inUse func(old string) bool) (bool, error) {
	aside := lock + ".stale." + suffix
	if err := os.Rename(lock, aside); err != nil {
		return false, err
	}
	if inUse(lock) {
		return false, nil
	}
	return true, os.Remove(aside)
}

// SweepDead removes the lock of a process that ended with the machine.
func SweepDead(lock string) {
	if os.Getenv("BOOT") != "" {
		os.Remove(lock)
	}
}
