package unlock

import (
	"os"

	"github.com/gofrs/flock"
)

// Rewrite reads under the lock and writes what came of it without.
func Rewrite(path string, change func([]byte) []byte) error {
	l := flock.New(path + ".lock")
	if err := l.Lock(); err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	l.Unlock()
	if err != nil {
		return err
	}
	return os.WriteFile(path, change(old), 0o600) // want `Rewrite writes path after it has released path.lock`
}

// Copy reads one file under its lock, and writes another one.
func Copy(path, dest string) error {
	l := flock.New(path + ".lock")
	if err := l.Lock(); err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	l.Unlock()
	if err != nil {
		return err
	}
	return os.WriteFile(dest, data, 0o600) // ok: another file
}

// Again takes the lock for the write, too.
func Again(path string, change func([]byte) []byte) error {
	l := flock.New(path + ".lock")
	if err := l.Lock(); err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	l.Unlock()
	if err != nil {
		return err
	}
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()
	return os.WriteFile(path, change(old), 0o600) // ok: under the lock
}
