// Package deeds has locks that are none by their names, but by what is done to them.
package deeds

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const staleAge = 10 * time.Second

// seat is made by one alone, and taken from who has it for long.
type seat struct {
	path string
	age  time.Duration
}

func (s *seat) sit() (bool, error) {
	f, err := os.OpenFile(s.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		return true, f.Close()
	}
	if ok, err := s.vacate(); err != nil || !ok {
		return false, err
	}
	f, err = os.OpenFile(s.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false, nil
	}
	return true, f.Close()
}

func (s *seat) vacate() (bool, error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return false, err
	}
	if time.Since(info.ModTime()) < s.age {
		return false, nil
	}
	return true, os.Remove(s.path) // want `\(\*seat\).vacate removes s.path where it takes it for stale`
}

// expire takes it away by the time that stands in it.
func expire(path string) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	at, err := strconv.ParseInt(string(data), 10, 64)
	if err != nil || time.Now().Unix()-at > 60 {
		return os.Remove(path) == nil // want `expire removes path where it takes it for stale`
	}
	return false
}

func turn(path string) error {
	for range 3 {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			_, err := f.WriteString(strconv.FormatInt(time.Now().Unix(), 10))
			return errors.Join(err, f.Close())
		}
		if !expire(path) {
			break
		}
	}
	return errors.New("it is another's turn")
}

// reason takes it away for one reason or the other.
func reason(lock string) bool {
	info, err := os.Stat(lock)
	if err != nil {
		return false
	}
	if time.Since(info.ModTime()) > time.Hour {
		return os.Remove(lock) == nil // want `reason removes lock where it takes it for stale`
	}
	data, err := os.ReadFile(lock)
	if err != nil {
		return false
	}
	if pid, err := strconv.Atoi(string(data)); err == nil && syscall.Kill(pid, 0) != nil {
		return os.Remove(lock) == nil // ok: it is said above
	}
	return false
}

func spawn(lock string) error {
	for range 3 {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			_, err := f.WriteString(strconv.Itoa(os.Getpid()))
			return errors.Join(err, f.Close())
		}
		if !reason(lock) {
			break
		}
	}
	return errors.New("it is started already")
}

// blob is made again where it is broken.
func blob(path string, data []byte) error {
	for range 2 {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			_, err := f.Write(data)
			return errors.Join(err, f.Close())
		}
		if old, err := os.ReadFile(path); err == nil && string(old) == string(data) {
			return nil
		}
		os.Remove(path) // ok: neither old nor anybody's
	}
	return errors.New("it is broken")
}

// room is a directory that says inside whose it is.
func room(dir string) error {
	for range 10 {
		if err := os.Mkdir(dir, 0o700); err == nil {
			return os.WriteFile(filepath.Join(dir, "who"), []byte(strconv.Itoa(os.Getpid())), 0o600)
		}
		if empty(dir) {
			os.RemoveAll(dir) // want `room removes dir where it takes it for stale`
			continue
		}
		time.Sleep(time.Second)
	}
	return errors.New("timed out")
}

func empty(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "who"))
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	return err != nil || syscall.Kill(pid, 0) != nil
}

// scratch makes an old directory anew.
func scratch(dir string) error {
	if err := os.Mkdir(dir, 0o700); err == nil {
		return nil
	}
	if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Hour {
		os.RemoveAll(dir) // ok: what is old in it nobody needs
	}
	return os.Mkdir(dir, 0o700)
}

// storage opens the file and decodes it.
type storage struct{ dir string }

type stamp struct{ Created, Updated time.Time }

func (s *storage) Lock(ctx context.Context, name string) error {
	path := filepath.Join(s.dir, name+".lock")
	for {
		err := s.create(path)
		if err == nil {
			return nil
		}
		if !os.IsExist(err) {
			return err
		}
		var at stamp
		f, err := os.Open(path)
		if err == nil {
			err := json.NewDecoder(f).Decode(&at)
			f.Close()
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
		switch {
		case os.IsNotExist(err):
			continue
		case err != nil:
			return err
		case past(at):
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) { // want `\(\*storage\).Lock removes s.dir/name.lock where it takes it for stale`
				return err
			}
		default:
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

func past(at stamp) bool { return time.Since(at.Updated) > staleAge }

func (s *storage) create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(stamp{time.Now(), time.Now()})
}
