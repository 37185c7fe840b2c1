package callsafter

import (
	"os"
	"time"
)

// Each helper is called several times: the ways to one removal multiply with each level.

func stale(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && time.Since(fi.ModTime()) > time.Minute
}

func l0(path string) error {
	if stale(path) {
		if err := os.Remove(path); err != nil { // want racycreate/reclaim
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func l1(lockPath string) error { return first(l0(lockPath), l0(lockPath), l0(lockPath)) }
func l2(lockPath string) error { return first(l1(lockPath), l1(lockPath), l1(lockPath)) }
func l3(lockPath string) error { return first(l2(lockPath), l2(lockPath), l2(lockPath)) }
func l4(lockPath string) error { return first(l3(lockPath), l3(lockPath), l3(lockPath)) }
func l5(lockPath string) error { return first(l4(lockPath), l4(lockPath), l4(lockPath)) }
func l6(lockPath string) error { return first(l5(lockPath), l5(lockPath), l5(lockPath)) }

func Acquire(dir string) error { return l6(dir + "/session.lock") }

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
