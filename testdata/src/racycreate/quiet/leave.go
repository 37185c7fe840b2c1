package quiet

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A lock file that is there to be locked, by whoever comes.
func touch(dir string) error {
	lock := filepath.Join(dir, "store.lock")
	if _, err := os.Stat(lock); err == nil {
		return nil
	}
	return os.WriteFile(lock, nil, 0o600) // ok: it stays
}

// A file that says that something was done once.
func migrate(dir string, work func() error) error {
	done := filepath.Join(dir, "migrated")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	if err := work(); err != nil {
		return err
	}
	return os.WriteFile(done, nil, 0o600) // ok: no claim
}

// The next of a run's own numbered reports.
func report(dir string, text []byte) error {
	for i := 0; ; i++ {
		path := filepath.Join(dir, fmt.Sprintf("report-%d.txt", i))
		if _, err := os.Stat(path); err == nil {
			continue
		}
		return os.WriteFile(path, text, 0o600) // ok: it says nothing of a name of its own
	}
}

// It waits for one file only, and makes it when the other end is gone.
func waitFor(path string) error {
	for {
		if _, err := os.Stat(path); err != nil {
			return os.WriteFile(path, []byte("next"), 0o600) // ok: not named as anything that excludes
		}
		time.Sleep(time.Second)
	}
}
