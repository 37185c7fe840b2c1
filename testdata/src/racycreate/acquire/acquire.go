// Package acquire looks for a lock in one method and makes it in another.
package acquire

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

var errHeld = errors.New("the workspace is held by another agent")

// Owner is who holds a workspace.
type Owner struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

func (o *Owner) dead() bool { return syscall.Kill(o.PID, 0) != nil }

// Workspace is a directory for one agent.
type Workspace struct{ lockPath string }

// Acquire reads the lock in one method and writes it in another.
func (w *Workspace) Acquire() error {
	owner, err := w.read()
	if err == nil {
		if owner.dead() {
			if err := w.Release(); err != nil {
				return fmt.Errorf("remove a stale lock: %w", err)
			}
		} else {
			if owner.PID == os.Getpid() {
				return w.write()
			}
			return fmt.Errorf("%w: process %d", errHeld, owner.PID)
		}
	}
	return w.write() // want `\(\*Workspace\).Acquire asks for w.lockPath before it makes it.*no fix: one that is there is taken over`
}

// Release removes the lock.
func (w *Workspace) Release() error {
	if err := os.Remove(w.lockPath); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

func (w *Workspace) read() (*Owner, error) {
	data, err := os.ReadFile(w.lockPath)
	if err != nil {
		return nil, err
	}
	var o Owner
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, err
	}
	return &o, nil
}

func (w *Workspace) write() error {
	data, err := json.Marshal(Owner{PID: os.Getpid(), Since: time.Now()})
	if err != nil {
		return err
	}
	return os.WriteFile(w.lockPath, data, 0o644) // want `truncates w.lockPath before it is written`
}

// acquireLock removes the file of a lock that flock holds, which is another mistake.
func acquireLock(lockPath string) (*os.File, error) {
	if info, err := os.Stat(lockPath); err == nil {
		if time.Since(info.ModTime()) > time.Hour {
			os.Remove(lockPath) // want `acquireLock removes the lock file lockPath without the lock`
		}
	}
	f, err := os.OpenFile(lockPath, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
