package collected

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

var errSecond = errors.New("a second instance")

// single does nothing but take the lock, beside the file that it guards.
func single(path string) error {
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open the lock: %w", err)
	}
	// Only one at a time.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil { // want `single locks path.lock and nothing keeps the open file`
		f.Close()
		return errSecond
	}
	return nil
}

// claim returns what the call says.
func claim(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "claim.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) // want `claim locks dir/claim.lock and nothing keeps the open file`
}

// await waits for it.
func await(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "await.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // want `await locks dir/await.lock and nothing keeps the open file`
}

// reader has the lock that readers have.
func reader() (bool, error) {
	f, err := os.Open("/run/agent/readers.lock")
	if err != nil {
		return false, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil { // want `reader locks /run/agent/readers.lock and nothing keeps the open file`
		return false, nil
	}
	return true, nil
}

// mine has a lock file of another name, which nobody else goes by.
func mine(dir string) error {
	path := filepath.Join(dir, "mine.lck")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil { // want `mine locks dir/mine.lck and nothing keeps the open file`
		return err
	}
	return nil
}

// common has one that another function locks as well.
func common(dir string) error {
	path := filepath.Join(dir, "common.lck")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) // want `common locks dir/common.lck and nothing keeps the open file`
}

func (g *guard) common() error {
	f, err := os.OpenFile(filepath.Join(g.dir, "common.lck"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	g.file = f
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
}

type guard struct {
	dir  string
	file *os.File
}

// busy has work to do, and may end with the lock.
func busy(path string, work func() error) error {
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil { // want `busy locks path.lock and nothing keeps the open file`
		return err
	}
	return work()
}

// watch throws the function away that unlocks, and goes on for ever.
func watch(each func()) error {
	_, err := acquire("/run/watch.lock") // want `watch locks /run/watch.lock and nothing keeps the open file`
	if err != nil {
		return err
	}
	for {
		each()
	}
}
