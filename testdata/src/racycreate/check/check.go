// Package check asks whether a lock, pid file or key is there, and then makes it
// by a call that takes an existing one as well.
package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var errKeyExists = errors.New("a key of that name exists already")

// Keys is a directory of keys.
type Keys struct{ dir string }

// Put makes a key, and refuses one that is there.
func (k *Keys) Put(name string, key []byte) error {
	path := filepath.Join(k.dir, "key_"+name)

	_, err := os.Stat(path)
	if err == nil {
		return errKeyExists
	} else if !os.IsNotExist(err) {
		return err
	}

	f, err := os.Create(path) // want `\(\*Keys\).Put asks for k.dir/key_{name} before it makes it: two processes that both find none both make it`
	if err != nil {
		return err
	}
	defer f.Close()

	_, err = f.Write(key)
	return err
}

// Key is what a file of the store holds.
type Key struct{ Secret []byte }

// Get reads a key.
func (k *Keys) Get(name string) (*Key, error) {
	data, err := os.ReadFile(filepath.Join(k.dir, "key_"+name))
	if err != nil {
		return nil, err
	}
	key := new(Key)
	return key, json.Unmarshal(data, key)
}

// The whole content is written at once.
func (k *Keys) add(name string, key []byte) error {
	path := filepath.Join(k.dir, name)
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s: %w", name, errKeyExists)
	}
	// The key is for its owner only.
	if err := os.WriteFile(path, key, 0o600); err != nil { // want `\(\*Keys\).add asks for k.dir/name before it makes it`
		return fmt.Errorf("save key: %w", err)
	}
	log.Printf("saved %s", name)
	return nil
}

// The last thing that a function does.
func (k *Keys) register(name string, key []byte) error {
	path := filepath.Join(k.dir, name+".pub")
	if _, err := os.Lstat(path); err == nil {
		return os.ErrExist
	}
	return os.WriteFile(path, key, 0o644) // want `\(\*Keys\).register asks for k.dir/name.pub before it makes it`
}

// Manager keeps a cache for one process at a time.
type Manager struct {
	dir  string
	lock *os.File
}

// Where the user insists the lock may be there, which no exclusive create can do.
func NewManager(dir string, force bool) (*Manager, error) {
	path := filepath.Join(dir, "cache.lock")
	_, err := os.Stat(path)
	if err == nil && !force {
		return nil, fmt.Errorf("%s exists: another process has crashed or is running", path)
	}
	f, err := os.OpenFile(path, os.O_CREATE, 0o600) // want `NewManager asks for dir/cache.lock before it makes it.*no fix: one that is there is taken over in some cases`
	if err != nil {
		return nil, err
	}
	return &Manager{dir: dir, lock: f}, nil
}

// Close gives the cache up.
func (m *Manager) Close() {
	m.lock.Close()
	os.Remove(filepath.Join(m.dir, "cache.lock"))
}

// Flags are kept, and so are what they were.
func claimSlot(dir string, n int) (*os.File, error) {
	path := filepath.Join(dir, "slot.claim")
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("slot %d is taken", n)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) // want `claimSlot asks for dir/slot.claim before it makes it`
	if err != nil {
		return nil, err
	}
	return f, nil
}

// WritePid refuses in a helper.
func WritePid(path string) error {
	if err := notRunning(path); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o644) // want `WritePid asks for path before it makes it`
}

func notRunning(path string) error {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err == nil && syscall.Kill(pid, 0) == nil {
		return fmt.Errorf("process %d is running already", pid)
	}
	return nil
}

const instance = "agentd.lock"

// main ends the program.
func start() {
	if exists(instance) {
		log.Fatal("agentd is running")
	}
	if err := os.WriteFile(instance, nil, 0o644); err != nil { // want `start asks for agentd.lock before it makes it`
		log.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// tryClaim answers with false.
func tryClaim(dir, job string) bool {
	path := filepath.Join(dir, job+".claim")
	if _, err := os.Stat(path); err == nil {
		return false
	}
	return os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o644) == nil // want `tryClaim asks for dir/job.claim before it makes it`
}

// wait looks again until the lock is gone.
func wait(dir string) error {
	path := filepath.Join(dir, ".lock")
	for exists(path) {
		time.Sleep(50 * time.Millisecond)
	}
	return os.WriteFile(path, nil, 0o600) // want `wait asks for dir/.lock before it makes it`
}

// A lock that is moved into its place takes an existing one as well.
func publish(dir string) error {
	path := filepath.Join(dir, "leader.pid")
	if data, err := os.ReadFile(path); err == nil {
		if pid, err := strconv.Atoi(string(data)); err == nil && syscall.Kill(pid, 0) == nil {
			return fmt.Errorf("leader %d is running already", pid)
		}
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path) // want `publish asks for dir/leader.pid before it makes it`
}

// More than to return is done where the file is there.
func (k *Keys) insert(name string, key []byte) error {
	path := filepath.Join(k.dir, name)
	if _, err := os.Stat(path); err == nil {
		log.Printf("%s is refused", name)
		return errKeyExists
	}
	return os.WriteFile(path, key, 0o600) // want `\(\*Keys\).insert asks for k.dir/name before it makes it.*no fix: make it with os.O_EXCL, and have os.IsExist of its error lead to`
}

// What is returned is not known where the file is made.
func (k *Keys) store(name string, key []byte) error {
	path := filepath.Join(k.dir, name)
	if info, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists since %s", name, info.ModTime())
	}
	return os.WriteFile(path, key, 0o600) // want `\(\*Keys\).store asks for k.dir/name before it makes it.*no fix: make it with os.O_EXCL, and have os.IsExist of its error lead to`
}

// It would say something else.
func (k *Keys) create(name string, key []byte) {
	path := filepath.Join(k.dir, name)
	_, err := os.Stat(path)
	if err == nil {
		log.Fatalf("%s exists already: %v", name, err)
	}
	f, err := os.Create(path) // want `\(\*Keys\).create asks for k.dir/name before it makes it.*no fix: make it with os.O_EXCL, and have os.IsExist of its error lead to`
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	f.Write(key)
}

// The error of looking for the file is used again.
func (k *Keys) save(name string, key []byte) (string, error) {
	path := filepath.Join(k.dir, name)
	_, err := os.Stat(path)
	if err == nil {
		return "", errKeyExists
	}
	if err := os.WriteFile(path, key, 0o600); err != nil { // want `\(\*Keys\).save asks for k.dir/name before it makes it.*no fix: make it with os.O_EXCL, and have os.IsExist of its error lead to`
		return "", err
	}
	return fmt.Sprintf("made, as %v", err), nil
}

// Another process can have the lock at the same time.
func amongReaders(dir string) error {
	guard, err := os.OpenFile(filepath.Join(dir, "guard"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer guard.Close()
	if err := syscall.Flock(int(guard.Fd()), syscall.LOCK_SH); err != nil {
		return err
	}
	path := filepath.Join(dir, "writer.pid")
	if exists(path) {
		return errors.New("a writer is running")
	}
	return os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o600) // want `amongReaders asks for dir/writer.pid before it makes it`
}
