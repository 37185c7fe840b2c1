// Package argument releases locks in the arguments of deferred calls.
package argument

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

var last time.Time

func noop() error { return nil }

// lock yields the release of the lock file of a directory.
func lock(dir string) (func() error, error) {
	defer func() { last = time.Now() }()
	l := flock.New(filepath.Join(dir, "backup.lock"))
	for range 10 {
		got, err := l.TryLock()
		if err != nil {
			return noop, fmt.Errorf("lock %s: %w", dir, err)
		}
		if got {
			return l.Unlock, nil
		}
		time.Sleep(time.Second)
	}
	return noop, fmt.Errorf("lock %s: timed out", dir)
}

func touch(dir string) error { return os.Chtimes(filepath.Join(dir, "last"), time.Now(), time.Now()) }

func backup(dir string) error {
	return os.WriteFile(filepath.Join(dir, "last"), []byte(time.Now().String()), 0o600)
}

// run has the lock for no time.
func run(dir string) {
	unlock, err := lock(dir)
	defer must(unlock()) // want `run releases dir/backup.lock as soon as it has it`
	must(err)
	must(backup(dir))
}

// again takes the lock itself.
func again(dir string) error {
	l := flock.New(filepath.Join(dir, "backup.lock"))
	if err := l.Lock(); err != nil {
		return err
	}
	defer fmt.Println("released:", l.Unlock()) // want `again releases dir/backup.lock as soon as it has it`
	return touch(dir)
}

// later releases it at its end.
func later(dir string) {
	unlock, err := lock(dir)
	must(err)
	defer func() { must(unlock()) }()
	must(backup(dir))
}

// between releases it before the call that is deferred.
func between(dir string) error {
	l := flock.New(filepath.Join(dir, "backup.lock"))
	if err := l.Lock(); err != nil {
		return err
	}
	defer fmt.Println("done")
	err := backup(dir)
	must(l.Unlock())
	return err
}

// plain defers the release.
func plain(dir string) error {
	l := flock.New(filepath.Join(dir, "backup.lock"))
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()
	return backup(dir)
}
