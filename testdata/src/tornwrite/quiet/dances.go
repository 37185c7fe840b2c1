package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

type archive struct {
	mu   sync.Mutex
	path string
}

// publish is how it is done by hand.
func (a *archive) publish(v any) error {
	f, err := os.CreateTemp(filepath.Dir(a.path), ".session-*") // ok: unique, same directory, synced, closed
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := json.NewEncoder(f).Encode(v); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), a.path)
}

func (a *archive) lock() (*os.File, error) {
	f, err := os.OpenFile(a.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// replaceLocked is called with the lock held, and only so.
func (a *archive) replaceLocked(b []byte) error {
	tmp := a.path + ".tmp"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // ok: every caller holds the lock, and the bytes are synced
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, a.path)
}

func (a *archive) save(v any) error {
	l, err := a.lock()
	if err != nil {
		return err
	}
	defer l.Close()
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return a.replaceLocked(b)
}

func (a *archive) clear() error {
	l, err := a.lock()
	if err != nil {
		return err
	}
	defer l.Close()
	return a.replaceLocked([]byte("[]"))
}

// saveMutexed holds a lock that other processes cannot see.
func (a *archive) saveMutexed(v any) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(a.path+".next", b, 0o600); err != nil { // want `\(\*archive\)\.saveMutexed writes a\.path through a\.path\.next, a name that every writer shares`
		return err
	}
	return os.Rename(a.path+".next", a.path)
}

// sometimes has one caller with the lock and one without.
func (a *archive) sometimes(b []byte) error {
	tmp := a.path + ".part"
	if err := os.WriteFile(tmp, b, 0o600); err != nil { // want `\(\*archive\)\.sometimes writes a\.path through a\.path\.part, a name that every writer shares`
		return err
	}
	return os.Rename(tmp, a.path)
}

func (a *archive) once(b []byte) error {
	l, err := a.lock()
	if err != nil {
		return err
	}
	defer l.Close()
	return a.sometimes(b)
}

func (a *archive) always(b []byte) error {
	return a.sometimes(b)
}

// restart begins with nothing and saves later, with care.
func (a *archive) restart(v any) error {
	if err := os.Remove(a.path); err != nil {
		return err
	}
	return a.publish(v)
}

// A lease is a lock: whoever held it is gone after a power cut.
type lease struct{ path string }

func (l *lease) renew(a *archive, v any) error {
	h, err := a.lock()
	if err != nil {
		return err
	}
	defer h.Close()
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(l.path+".new", b, 0o600); err != nil { // ok: no two writers, and no need of a sync
		return err
	}
	return os.Rename(l.path+".new", l.path)
}
