package takenover

import (
	"os"
	"path/filepath"
	"time"
)

// A lane is taken over by its age alone: the limit is not a question for its holder.
type lane struct{ dir string }

func (l *lane) lockPath() string { return filepath.Join(l.dir, "lane.lock") }

func processingLimit() time.Duration { return old }

func (l *lane) lock() error {
	f, err := os.OpenFile(l.lockPath(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		if info, err := os.Stat(l.lockPath()); err == nil && time.Since(info.ModTime()) > processingLimit() {
			os.Remove(l.lockPath())
		}
		return err
	}
	return f.Close()
}

func (l *lane) unlock() error {
	return os.Remove(l.lockPath()) // want `unlock removes the lock file l.dir/lane.lock without a look whether it is still its own`
}
