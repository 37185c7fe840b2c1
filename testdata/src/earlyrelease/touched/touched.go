// Package touched keeps its lock file young while it is in use: nobody takes it
// over.
package touched

import (
	"os"
	"path/filepath"
	"time"
)

type guard struct{ dir string }

func (g *guard) lockPath() string { return filepath.Join(g.dir, "guard.lock") }

func (g *guard) lock() error {
	f, err := os.OpenFile(g.lockPath(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		if info, err := os.Stat(g.lockPath()); err == nil && time.Since(info.ModTime()) > time.Minute {
			os.Remove(g.lockPath())
		}
		return err
	}
	go g.beat()
	return f.Close()
}

func (g *guard) beat() {
	for range time.Tick(time.Second) {
		now := time.Now()
		os.Chtimes(g.lockPath(), now, now)
	}
}

func (g *guard) unlock() error { return os.Remove(g.lockPath()) }
