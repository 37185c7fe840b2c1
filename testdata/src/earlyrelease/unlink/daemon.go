package unlink

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

const stopLock = "daemon/stop.lock"

// acquireStop is taken by the command that stops everything.
func acquireStop(root string) (*flock.Flock, error) {
	lockPath := filepath.Join(root, stopLock)
	lock := flock.New(lockPath)
	ok, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("another stop is under way: %s", lockPath)
	}
	return lock, nil
}

// Stop removes by a path that it joins itself.
func Stop(root string) error {
	lock, err := acquireStop(root)
	if err != nil {
		return err
	}
	defer func() {
		_ = lock.Unlock()
		// Clean up the lock file, too.
		_ = os.Remove(filepath.Join(root, stopLock)) // want `Stop removes the lock file root/daemon/stop.lock after it has released the lock`
	}()
	fmt.Println("stopping", root)
	return nil
}

type daemon struct{ root string }

// stopping asks whether a stop is under way.
func (d *daemon) stopping() bool {
	lockPath := filepath.Join(d.root, "daemon", "stop.lock")
	lock := flock.New(lockPath)
	locked, err := lock.TryLock()
	if err != nil {
		return true
	}
	if locked {
		// The command is gone.
		// Let go and clean up what it left.
		_ = lock.Unlock()
		_ = os.Remove(lockPath) // want `stopping removes the lock file d.root/daemon/stop.lock after it has released`
		return false
	}
	return true
}

// forced is in the way of whoever stops right now.
func (d *daemon) forced() error {
	return os.Remove(filepath.Join(d.root, "daemon", "stop.lock")) // want `forced removes the lock file d.root/daemon/stop.lock without the lock: .* \(no fix: it breaks a lock on purpose`
}

// A triage has a marker that is a lock file by what is done with it.
type triage struct {
	dir  string
	lock *flock.Flock
}

func (t *triage) marker() string { return filepath.Join(t.dir, ".triage-running") }

func (t *triage) take() (bool, error) {
	t.lock = flock.New(t.marker())
	return t.lock.TryLock()
}

// drop releases the lock and removes the marker file. Others may take it then.
func (t *triage) drop() error {
	if t.lock != nil {
		if err := t.lock.Unlock(); err != nil {
			return err
		}
		t.lock = nil
	}
	// Remove the marker; that it is gone already is fine.
	_ = os.Remove(t.marker()) // want `drop removes the lock file t.dir/.triage-running after it has released`
	return nil
}

// clear removes the marker file where nobody is at it, for doctors.
func (t *triage) clear() {
	if ok, err := t.take(); err == nil && ok {
		t.lock.Unlock()
		os.Remove(t.marker()) // want `clear removes the lock file t.dir/.triage-running after it has released.*no fix: the comment on clear tells that it removes the file`
	}
}

// asked is a question to others: is somebody at it?
func asked(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "asked.lock"))
	return err == nil
}

func ask(dir string) {
	path := filepath.Join(dir, "asked.lock")
	l := flock.New(path)
	if err := l.Lock(); err != nil {
		return
	}
	l.Unlock()
	os.Remove(path) // want `ask removes the lock file dir/asked.lock .*\(no fix: asked asks for the file without the lock`
}

func free(l *flock.Flock) bool {
	ok, err := l.TryLock()
	if err != nil || !ok {
		return false
	}
	l.Unlock()
	return true
}

// discardIfFree asks first, and has no lock afterwards.
func discardIfFree(dir string) {
	path := filepath.Join(dir, "idle.lock")
	if free(flock.New(path)) {
		os.Remove(path) // want `discardIfFree removes the lock file dir/idle.lock without the lock`
	}
}
