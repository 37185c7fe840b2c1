// Package bisect asks another package whether its lock is there.
package bisect

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"racycreate/across/bilib"
)

// Run is one run over a directory.
type Run struct {
	base, lockFile string
	expires        time.Time
}

func (r *Run) lock() error {
	r.lockFile = r.base + ".lck"
	if bilib.FileExists(r.lockFile) {
		if time.Now().Before(r.expires) {
			return fmt.Errorf("a lock of another run was found: %s", r.lockFile)
		}
	}
	pid := []byte(strconv.Itoa(os.Getpid()))
	if err := os.WriteFile(r.lockFile, pid, 0o600); err != nil { // want `\(\*Run\).lock asks for r.lockFile before it makes it`
		return fmt.Errorf("make the lock: %w", err)
	}
	return r.renew() // what it has made is its own
}

func (r *Run) renew() error {
	if bilib.FileExists(r.lockFile) {
		return os.WriteFile(r.lockFile, []byte(time.Now().String()), 0o600)
	}
	return nil
}
