package unlink

import (
	"errors"
	"os"

	"github.com/gofrs/flock"
)

// A catalog has readers, which come first in the file, and a writer.
type catalog struct {
	path, lockPath string
}

var errTaken = errors.New("taken")

func (c *catalog) read() ([]byte, error) {
	lock := flock.New(c.lockPath)
	ok, err := lock.TryRLock()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errTaken
	}
	defer func() {
		lock.Unlock()
		os.Remove(c.lockPath) // want `\(\*catalog\).read removes the lock file c.lockPath after it has released the lock`
	}()
	return os.ReadFile(c.path)
}

func (c *catalog) lock() (*flock.Flock, error) {
	lock := flock.New(c.lockPath)
	ok, err := lock.TryLock()
	if err == nil && !ok {
		err = errTaken
	}
	return lock, err
}
