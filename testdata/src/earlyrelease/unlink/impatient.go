package unlink

import (
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// impatient waits a while for who has the lock, and takes it away from him then.
func impatient(root string) error {
	name := filepath.Join(root, "server.lock")
	l := flock.New(name)
	ok, err := l.TryLock()
	if err != nil {
		return err
	}
	for n := 0; n < 10 && !ok; n++ {
		time.Sleep(time.Second)
		ok, err = l.TryLock()
	}
	if !ok {
		os.Remove(name) // want `impatient removes the lock file root/server.lock without the lock`
		l = flock.New(name)
		if ok, err = l.TryLock(); err != nil || !ok {
			return os.ErrExist
		}
	}
	defer l.Unlock()
	return serve(root)
}

func serve(string) error { return nil }
