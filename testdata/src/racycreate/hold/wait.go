// Package hold makes lock files in ways that a lock of the operating system can
// take the place of.
package hold

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Store is a directory of records.
type Store struct {
	dir     string
	timeout time.Duration
}

// BusyError says which lock another process has.
type BusyError struct{ Path string }

func (e *BusyError) Error() string { return e.Path + " is locked" }

// Lock waits for its turn. It returns the function that lets the next one in.
func (s *Store) Lock() (unlock func(), err error) {
	lockPath := filepath.Join(s.dir, "store.lock")
	if err := os.MkdirAll(filepath.Dir(lockPath), 0o755); err != nil {
		return nil, err
	}

	deadline := time.Now().Add(s.timeout)
	for {
		f, err := os.OpenFile(lockPath, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err == nil {
			// Say who has it.
			fmt.Fprintf(f, "%d\n", os.Getpid())
			f.Close()
			return func() { os.Remove(lockPath) }, nil
		}
		if !os.IsExist(err) {
			return nil, fmt.Errorf("create the lock: %w", err)
		}

		// The file is there: is its process alive?
		// If it is not, remove it and try again at once.
		if isStale(lockPath) {
			os.Remove(lockPath) // want `\(\*Store\).Lock removes s.dir/store.lock where it takes it for stale`
			continue
		}

		// Somebody has it.
		if time.Now().After(deadline) {
			return nil, &BusyError{Path: lockPath}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func isStale(lockPath string) bool {
	data, err := os.ReadFile(lockPath)
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	return err != nil || syscall.Kill(pid, 0) != nil
}

const maxAge = 30 * time.Second

// with holds the lock while change runs; what is deferred behind the loop moves to
// where the lock is had.
func (s *Store) with(change func() error) error {
	lockPath := filepath.Join(s.dir, "with.lock")
	start := time.Now()
	for {
		f, err := os.OpenFile(lockPath, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintln(f, os.Getpid())
			f.Close()
			break
		}
		if !os.IsExist(err) {
			return fmt.Errorf("create %s: %w", lockPath, err)
		}
		info, statErr := os.Stat(lockPath)
		if statErr == nil {
			if time.Since(info.ModTime()) > maxAge {
				_ = os.Remove(lockPath) // want `\(\*Store\).with removes s.dir/with.lock where it takes it for stale`
				continue
			}
		} else if os.IsNotExist(statErr) {
			continue
		}
		if time.Since(start) > s.timeout {
			return fmt.Errorf("%s: still locked", lockPath)
		}
		time.Sleep(10 * time.Millisecond)
	}
	defer os.Remove(lockPath)
	return change()
}

// under defers the removal where it has the lock, and looks at each error of
// writing the file.
func (s *Store) under(id string, change func() error) error {
	lockPath := filepath.Join(s.dir, id, "under.lock")
	for attempt := 0; attempt < 10; attempt++ {
		file, err := os.OpenFile(lockPath, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			if _, err := fmt.Fprintf(file, "%d\n", os.Getpid()); err != nil {
				_ = file.Close()
				_ = os.Remove(lockPath)
				return err
			}
			if err := file.Close(); err != nil {
				_ = os.Remove(lockPath)
				return fmt.Errorf("close the lock: %w", err)
			}
			defer os.Remove(lockPath)
			return change()
		}
		if !os.IsExist(err) {
			return err
		}
		if info, err := os.Stat(lockPath); err == nil && time.Since(info.ModTime()) > maxAge {
			os.Remove(lockPath) // want `\(\*Store\).under removes s.dir/id/under.lock where it takes it for stale`
			continue
		}
		time.Sleep(time.Duration(attempt) * time.Millisecond)
	}
	return fmt.Errorf("%s is locked", lockPath)
}

// first looks before it makes the file.
func (s *Store) first() (release func() error, err error) {
	lock := filepath.Join(s.dir, "first.lock")
	for i := 0; i < 20; i++ {
		info, err := os.Stat(lock)
		if err == nil {
			if time.Since(info.ModTime()) > maxAge {
				_ = os.Remove(lock) // want `\(\*Store\).first removes s.dir/first.lock where it takes it for stale`
				continue
			}
		} else if !os.IsNotExist(err) {
			return nil, err
		}

		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			f.Close()
			return func() error { return os.Remove(lock) }, nil
		}
		if !os.IsExist(err) {
			return nil, err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, fmt.Errorf("timed out waiting for %s", filepath.Base(lock))
}

// fresh gives up where the file is fresh.
func (s *Store) fresh() (func(), error) {
	lock := filepath.Join(s.dir, "fresh.lock")
	for range 2 {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			_, writeErr := f.WriteString(strconv.Itoa(os.Getpid()))
			closeErr := f.Close()
			if writeErr != nil {
				os.Remove(lock)
				return nil, writeErr
			}
			if closeErr != nil {
				os.Remove(lock)
				return nil, closeErr
			}
			return func() { _ = os.Remove(lock) }, nil
		}
		if !os.IsExist(err) {
			return nil, err
		}
		info, statErr := os.Stat(lock)
		if statErr != nil {
			if os.IsNotExist(statErr) {
				continue
			}
			return nil, fmt.Errorf("stat the lock: %w", statErr)
		}
		if time.Since(info.ModTime()) < maxAge {
			return nil, fmt.Errorf("%s is locked by another process", lock)
		}
		os.Remove(lock) // want `\(\*Store\).fresh removes s.dir/fresh.lock where it takes it for stale`
	}
	return nil, fmt.Errorf("%s is locked by another process", lock)
}

// kept keeps the file open, and has content that another encodes.
func (s *Store) kept() (func(), error) {
	lock := filepath.Join(s.dir, "kept.lock")
	for {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if os.IsExist(err) {
			if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > maxAge {
				os.Remove(lock) // want `\(\*Store\).kept removes s.dir/kept.lock where it takes it for stale`
			}
			time.Sleep(time.Millisecond)
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := json.NewEncoder(f).Encode(map[string]int{"pid": os.Getpid()}); err != nil {
			f.Close()
			os.Remove(lock)
			return nil, err
		}
		return func() {
			f.Close()
			os.Remove(f.Name())
		}, nil
	}
}

// moved takes a stale one aside.
func (s *Store) moved() (func(), error) {
	lock := filepath.Join(s.dir, "moved.lock")
	for range 3 {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return func() { os.Remove(lock) }, f.Close()
		}
		info, err := os.Stat(lock)
		if err != nil {
			continue
		}
		if time.Since(info.ModTime()) < maxAge {
			return nil, fmt.Errorf("%s is locked", lock)
		}
		aside := lock + ".stale"
		if err := os.Rename(lock, aside); err == nil { // want `\(\*Store\).moved renames s.dir/moved.lock where it takes it for stale`
			os.Remove(aside)
		}
	}
	return nil, fmt.Errorf("%s is locked", lock)
}
