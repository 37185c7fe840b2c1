package hold

import (
	"errors"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

var errRunning = errors.New("another one is running already")

// once is for one process at a time, and gives up at once.
func once(dir string, work func() error) error {
	lock := filepath.Join(dir, "once.lock")
	if _, err := os.Stat(lock); err == nil {
		return errRunning
	}
	// The file says that we are at it.
	if err := os.WriteFile(lock, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil { // want `once asks for dir/once.lock before it makes it`
		return err
	}
	defer os.Remove(lock)
	return work()
}

// opened has the file open meanwhile.
func opened(dir string, work func() error) error {
	lock := filepath.Join(dir, "opened.lock")
	if _, err := os.Stat(lock); !os.IsNotExist(err) {
		return errRunning
	}
	f, err := os.Create(lock) // want `opened asks for dir/opened.lock before it makes it`
	if err != nil {
		return err
	}
	defer func() {
		f.Close()
		os.Remove(lock)
	}()
	return work()
}

// lives asks whether the process lives that has made it, which no exclusive create
// can do.
func lives(dir string) (func(), error) {
	lock := filepath.Join(dir, "lives.pid")
	if data, err := os.ReadFile(lock); err == nil {
		if pid, err := strconv.Atoi(string(data)); err == nil {
			if syscall.Kill(pid, 0) == nil {
				return nil, errRunning
			}
		}
		log.Printf("%s is stale", lock)
	}
	if err := os.WriteFile(lock, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil { // want `lives asks for dir/lives.pid before it makes it`
		return nil, err
	}
	return func() {
		if err := os.Remove(lock); err != nil {
			log.Printf("remove %s: %v", lock, err)
		}
	}, nil
}

// turn waits for its turn.
func turn(dir string, work func()) error {
	lock := filepath.Join(dir, "turn.lock")
	for exists(lock) {
		time.Sleep(50 * time.Millisecond)
	}
	f, err := os.Create(lock) // want `turn asks for dir/turn.lock before it makes it`
	if err != nil {
		return err
	}
	f.Close()
	work()
	return os.Remove(lock)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// claim makes the file a second time once a stale one is out of the way.
func claim(dir string, work func() error) bool {
	lock := filepath.Join(dir, "claim.lock")
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		info, statErr := os.Stat(lock)
		if statErr != nil || time.Since(info.ModTime()) < maxAge {
			return false
		}
		// What a process that died has left is out of the way after a while.
		if os.Remove(lock) != nil { // want `claim removes dir/claim.lock where it takes it for stale`
			return false
		}
		f, err = os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return false
		}
	}
	_ = f.Close()
	defer os.Remove(lock)
	return work() == nil
}
