// Package reclaim removes locks that it takes for stale.
package reclaim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const staleAge = 10 * time.Second

func byAge(path string) (func(), error) {
	lock := path + ".lock"
	for range 50 {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			f.Close()
			return func() { os.Remove(lock) }, nil
		}
		if !os.IsExist(err) {
			return nil, err
		}
		if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > staleAge {
			os.Remove(lock) // want `byAge removes path.lock where it takes it for stale: of two processes that do, the slower one removes the fresh file of the faster one`
			continue
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, errors.New("timed out waiting for " + lock)
}

func byPid(lock string) error {
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if os.IsExist(err) {
		return again(lock)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprint(f, os.Getpid())
	return err
}

func again(lock string) error {
	if !stale(lock) {
		return errors.New("the lock is held by another process")
	}
	if err := os.Remove(lock); err != nil { // want `again removes lock where it takes it for stale`
		return err
	}
	return again2(lock)
}

func again2(lock string) error {
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func stale(lock string) bool {
	data, err := os.ReadFile(lock)
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	return err != nil || syscall.Kill(pid, 0) != nil
}

// acquireLock makes the file again by a call that takes an existing one as well.
func acquireLock(lock string) error {
	if info, err := os.Stat(lock); err == nil {
		if time.Since(info.ModTime()) > staleAge {
			os.Remove(lock) // want `acquireLock removes lock where it takes it for stale`
		}
	}
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Holder takes a lock again by a helper that calls it back.
type Holder struct{ lock string }

// Acquire makes the lock.
func (h *Holder) Acquire() (bool, error) {
	f, err := os.OpenFile(h.lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if os.IsExist(err) {
		return h.another()
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

func (h *Holder) another() (bool, error) {
	data, err := os.ReadFile(h.lock)
	if err != nil {
		return false, err
	}
	if pid, err := strconv.Atoi(string(data)); err == nil && syscall.Kill(pid, 0) == nil {
		return false, nil
	}
	os.Remove(h.lock) // want `\(\*Holder\).another removes h.lock where it takes it for stale`
	return h.Acquire()
}

// inDir has a directory for its lock, which says inside whose it is.
func inDir(dir string, work func() error) error {
	lock := filepath.Join(dir, "install.lock")
	owner := filepath.Join(lock, "owner")
	for range 100 {
		if err := os.Mkdir(lock, 0o700); err == nil {
			os.WriteFile(owner, []byte(strconv.Itoa(os.Getpid())), 0o600)
			defer os.RemoveAll(lock)
			return work()
		} else if !os.IsExist(err) {
			return err
		}
		if data, err := os.ReadFile(owner); err == nil {
			if pid, err := strconv.Atoi(string(data)); err == nil && syscall.Kill(pid, 0) != nil {
				os.RemoveAll(lock) // want `inDir removes dir/install.lock where it takes it for stale`
				continue
			}
		}
		time.Sleep(time.Second)
	}
	return errors.New("timed out")
}

// old looks at the directory itself.
func old(lock string) error {
	for {
		if err := os.Mkdir(lock, 0o700); err == nil {
			return nil
		}
		if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > staleAge {
			os.Remove(lock) // want `old removes lock where it takes it for stale`
			continue
		}
		time.Sleep(time.Second)
	}
}

// claimed is alone as long as the file is there and is young: its content says only since when.
func claimed(dir string) bool {
	path, now := filepath.Join(dir, "warmup.sentinel"), time.Now()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // ok: it is taken away when it is old, and one that is empty is not
	if err != nil {
		if !os.IsExist(err) {
			return false
		}
		data, readErr := os.ReadFile(path)
		stamp, parseErr := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if readErr == nil && parseErr != nil {
			if fi, statErr := os.Stat(path); statErr == nil {
				stamp, parseErr = fi.ModTime().UnixNano(), nil
			}
		}
		if readErr == nil && parseErr == nil && now.Sub(time.Unix(0, stamp)) < time.Minute {
			return false
		}
		if os.Remove(path) != nil { // want `claimed removes dir/warmup.sentinel where it takes it for stale`
			return false
		}
		if f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return false
		}
	}
	_, err = f.WriteString(strconv.FormatInt(now.UnixNano(), 10))
	return errors.Join(err, f.Close()) == nil
}
