package takenover

import (
	"os"
	"path/filepath"
	"time"
)

// A dock empties its lock file once, asks whether it exists, and sets the times of a picture.
type dock struct{ dir string }

func (d *dock) lockPath() string { return filepath.Join(d.dir, "dock.lock") }

func (d *dock) lock() error {
	f, err := os.OpenFile(d.lockPath(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		if stale(d.lockPath()) {
			os.Remove(d.lockPath())
		}
		return err
	}
	return f.Close()
}

func (d *dock) clear() error { return os.Truncate(d.lockPath(), 0) }

func (d *dock) picture() error {
	now := time.Now()
	return os.Chtimes(filepath.Join(d.dir, "dock.png"), now, now)
}

func (d *dock) unlock() error {
	if _, err := os.Stat(d.lockPath()); err != nil {
		return nil
	}
	return os.Remove(d.lockPath()) // want `unlock removes the lock file d.dir/dock.lock without a look whether it is still its own`
}
