// Package lockfn runs its writes inside of a function that holds a lock.
package lockfn

import (
	"encoding/json"
	"os"
	"syscall"
)

type vault struct {
	path string
	Keys []string
}

func (v *vault) withLock(f func() error) error {
	lock, err := os.OpenFile(v.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return f()
}

func (v *vault) seal() error {
	return v.withLock(func() error {
		b, err := json.Marshal(v.Keys)
		if err != nil {
			return err
		}
		return os.WriteFile(v.path, b, 0o600) // want `\(\*vault\)\.seal truncates v\.path before it is written: a crash in between leaves an empty file`
	})
}

// rotate uses a temporary name that only the holder of the lock uses.
func (v *vault) rotate() error {
	return v.withLock(func() error {
		tmp := v.path + ".tmp"
		f, err := os.Create(tmp) // ok: every caller holds the lock, and the bytes are synced
		if err != nil {
			return err
		}
		if err := json.NewEncoder(f).Encode(v.Keys); err != nil {
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
		return os.Rename(tmp, v.path)
	})
}

// watch does it all in a goroutine, whose caller holds nothing.
func (v *vault) watch(changed <-chan struct{}) {
	go v.follow(changed)
}

func (v *vault) follow(changed <-chan struct{}) {
	for range changed {
		if err := v.compact(); err != nil {
			return
		}
	}
}

func (v *vault) compact() error {
	lock, err := os.OpenFile(v.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return v.swap(v.path)
}

func (v *vault) swap(path string) error {
	f, err := os.Create(path + ".compact") // ok: every caller holds the lock, and the bytes are synced
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(v.Keys); err != nil {
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
	return os.Rename(path+".compact", path)
}

// hurry holds the lock, too, but syncs nothing: no other process shares the
// name, yet the rename may be on disk before the bytes.
func (v *vault) hurry() error {
	return v.withLock(func() error {
		b, err := json.Marshal(v.Keys)
		if err != nil {
			return err
		}
		if err := os.WriteFile(v.path+".tmp", b, 0o600); err != nil { // want `\(\*vault\)\.hurry renames a file over v\.path that was never synced`
			return err
		}
		return os.Rename(v.path+".tmp", v.path)
	})
}
