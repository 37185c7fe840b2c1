// Package quiet makes files in ways that no other process can come between, or
// where nothing is lost if one does.
package quiet

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

var errHeld = errors.New("the lock is held by another process")

// The create itself refuses.
func exclusive(lock string) error {
	if _, err := os.Stat(lock); err == nil {
		return errHeld
	}
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// A lock is held around both steps.
func underLock(dir string) error {
	guard, err := os.OpenFile(filepath.Join(dir, "guard"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer guard.Close()
	if err := syscall.Flock(int(guard.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return mark(filepath.Join(dir, "owner.lock"))
}

// mark is called under the lock only.
func mark(lock string) error {
	if _, err := os.Stat(lock); err == nil {
		return errHeld
	}
	return os.WriteFile(lock, []byte(strconv.Itoa(os.Getpid())), 0o600)
}

// The file that is made is locked itself.
func locked(lock string) (*os.File, error) {
	if _, err := os.Stat(lock); err == nil {
		return nil, errHeld
	}
	f, err := os.Create(lock)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// A name that only one of two can give.
func linked(lock string) error {
	if _, err := os.Stat(lock); err == nil {
		return errHeld
	}
	tmp, err := os.CreateTemp(filepath.Dir(lock), "claim-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	return os.Link(tmp.Name(), lock)
}

const template = "verbose: false\n"

// A configuration that is written once where it is missing.
func initConfig(dir string) error {
	path := filepath.Join(dir, "config.yaml")
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists already", path)
	}
	return os.WriteFile(path, []byte(template), 0o644)
}

// A missing file is no refusal.
func ensure(dir string) error {
	lock := filepath.Join(dir, "deps.lock")
	if _, err := os.Stat(lock); os.IsNotExist(err) {
		return os.WriteFile(lock, nil, 0o644)
	}
	return nil
}

// The holder renews its own lock.
func renew(lock string) error {
	data, err := os.ReadFile(lock)
	if err != nil {
		return err
	}
	if string(data) != strconv.Itoa(os.Getpid()) {
		return errHeld
	}
	return os.WriteFile(lock, data, 0o600)
}

// A pid file is left for others to find, and tidied up by whoever finds it.
func running(dir string) bool {
	path := filepath.Join(dir, "server.pid")
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(string(data))
	if err != nil || syscall.Kill(pid, 0) != nil {
		os.Remove(path)
		return false
	}
	return true
}

func serve(dir string, child int) error {
	if running(dir) {
		fmt.Println("the server runs")
	}
	return os.WriteFile(filepath.Join(dir, "server.pid"), []byte(strconv.Itoa(child)), 0o644)
}

// A cache is made anew when it is old.
func cached(dir string) error {
	path := filepath.Join(dir, "cache.bin")
	if info, err := os.Stat(path); err == nil {
		if time.Since(info.ModTime()) < time.Hour {
			return nil
		}
		os.Remove(path)
	}
	return os.WriteFile(path, []byte("x"), 0o644)
}

// Versions is a file of pinned versions.
type Versions map[string]string

// The lock file of a package manager pins versions.
func pin(dir string, v Versions) error {
	path := filepath.Join(dir, "package.lock")
	if data, err := os.ReadFile(path); err == nil {
		var old Versions
		if err := json.Unmarshal(data, &old); err != nil {
			return err
		}
		if len(old) > len(v) {
			return errors.New("versions exist already that are not asked for")
		}
	}
	data, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	return pinned(path, data)
}

func pinned(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "pin-*")
	if err != nil {
		return err
	}
	if _, err := tmp.Write(data); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := tmp.Sync(); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// An entry of a list that is there is not a file that is there.
func addEntry(dir, name string) error {
	path := filepath.Join(dir, name+".list")
	list, err := load(path)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e == name {
			return fmt.Errorf("%s exists already", name)
		}
	}
	_, err = json.Marshal(append(list, name))
	return err
}

func load(path string) (list []string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return list, json.Unmarshal(data, &list)
}

// A file of its own, in a place of its own.
func scratch() error {
	dir, err := os.MkdirTemp("", "x")
	if err != nil {
		return err
	}
	lock := filepath.Join(dir, "a.lock")
	if _, err := os.Stat(lock); err == nil {
		return errHeld
	}
	return os.WriteFile(lock, nil, 0o600)
}

// The file beside it is the lock.
func beside(dir string) error {
	guard, err := os.OpenFile(filepath.Join(dir, "guard"), os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(guard.Name())
	defer guard.Close()
	lock := filepath.Join(dir, "owner.lock")
	if _, err := os.Stat(lock); err == nil {
		return errHeld
	}
	return os.WriteFile(lock, nil, 0o600)
}

// What another run has left is always removed: no lock, but a mark.
func remark(dir string) error {
	lock := filepath.Join(dir, "run.lock")
	if _, err := os.Stat(lock); err == nil {
		if err := os.Remove(lock); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Files is a directory of files.
type Files struct{ dir string }

// Who insists may overwrite.
func (s *Files) Put(name string, data []byte, force bool) error {
	path := filepath.Join(s.dir, name)
	if _, err := os.Stat(path); err == nil && !force {
		return fmt.Errorf("%s exists already", name)
	}
	return os.WriteFile(path, data, 0o600)
}

// A file that the caller names, once.
func createFile(path string, data []byte) error {
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists already", path)
	}
	return os.WriteFile(path, data, 0o600)
}

// What refuses has nothing to do with the file.
func unrelated(dir string, busy func() bool) error {
	lock := filepath.Join(dir, "seen.lock")
	if data, err := os.ReadFile(lock); err == nil {
		fmt.Println("seen", string(data))
	}
	if busy() {
		return errors.New("another one is running already")
	}
	return os.WriteFile(lock, nil, 0o600)
}

// Claims are the claims of all jobs, in one file.
type Claims struct {
	Version int
	Jobs    []string
}

// A job that has a claim is not a file that is there.
func claimJob(dir, job string) error {
	path := filepath.Join(dir, "jobs.claim")
	claims, err := loadClaims(path)
	if err != nil {
		return err
	}
	for _, j := range claims.Jobs {
		if j == job {
			return fmt.Errorf("%s is claimed already", job)
		}
	}
	_, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	return err
}

func loadClaims(path string) (*Claims, error) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return new(Claims), nil
	}
	if err != nil {
		return nil, err
	}
	claims := new(Claims)
	if err := json.Unmarshal(data, claims); err != nil {
		return nil, err
	}
	if claims.Version > 1 {
		return nil, errors.New("the file is of a later version")
	}
	return claims, nil
}

// A file that cannot be decoded is no other process's.
func decodable(dir string) error {
	path := filepath.Join(dir, "state.lock")
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, new(Claims)); err != nil {
			return fmt.Errorf("the lock is broken already: %w", err)
		}
	}
	_, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	return err
}
