package unlink

import (
	"os"
	"path/filepath"
	"syscall"
)

// A sessionLock has the parts of the name of its file, and the open file.
type sessionLock struct {
	dir, id string
	file    *os.File
}

func sessionFile(dir, id string) string { return filepath.Join(dir, id+".lock") }

func takeSession(dir, id string) (*sessionLock, error) {
	f, err := os.OpenFile(sessionFile(dir, id), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return &sessionLock{dir: dir, id: id, file: f}, nil
}

// release spells the name by the fields.
func (l *sessionLock) release() {
	os.Remove(sessionFile(l.dir, l.id)) // want `\(\*sessionLock\).release removes the lock file l.dir/l.id.lock while it holds the lock`
	syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
	l.file.Close()
}

// forget removes what stands beside it.
func (l *sessionLock) forget() {
	os.Remove(filepath.Join(l.dir, l.id+".json")) // ok: it is no lock file
	syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
	l.file.Close()
}

// stale removes the file while it holds the lock, whoever calls it, and how often.
func stale(dir, id string) bool {
	f, err := os.OpenFile(sessionFile(dir, id), os.O_RDWR, 0o600)
	if err != nil {
		return false
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return false
	}
	os.Remove(sessionFile(dir, id)) // want `stale removes the lock file dir/id.lock while it holds the lock`
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
	return true
}

// sweep calls it in a loop.
func sweep(dir string, ids []string) {
	for _, id := range ids {
		stale(dir, id)
	}
}
