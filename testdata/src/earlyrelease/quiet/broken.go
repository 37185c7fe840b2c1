package quiet

import (
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// start makes a lock file anew that cannot be opened or locked. One that somebody
// has is no such file.
func start(root string) (*flock.Flock, error) {
	name := filepath.Join(root, "worker.lock")
	l := flock.New(name)
	ok, err := l.TryLock()
	if err != nil {
		os.Remove(name)
		ok, err = l.TryLock()
	}
	if err != nil || !ok {
		return nil, os.ErrExist
	}
	return l, nil
}

// serve starts by a call.
func serve(root string) error {
	l, err := start(root)
	if err != nil {
		return err
	}
	return l.Unlock()
}
