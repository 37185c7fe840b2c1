package lockfn

import (
	"encoding/json"
	"os"
	"syscall"
)

// hold waits for a lock.
func hold(path string) (*os.File, error) {
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return lock, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
}

// print holds the lock of a printer, which is none of the vault.
func (v *vault) print() error {
	lock, err := hold("/run/lock/printer.lock")
	if err != nil {
		return err
	}
	defer lock.Close()
	return v.replace()
}

// unload lets go of the lock first where there is much to do.
func (v *vault) unload() error {
	lock, err := hold(v.path + ".lock")
	if err != nil {
		return err
	}
	defer lock.Close()
	if len(v.Keys) > 100 {
		if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_UN); err != nil {
			return err
		}
	}
	return v.replaceAll()
}

func (v *vault) replace() error {
	tmp := v.path + ".printed"
	f, err := os.Create(tmp) // want `\(\*vault\)\.replace writes v\.path through v\.path\.printed, a name that every writer shares`
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
}

func (v *vault) replaceAll() error {
	tmp := v.path + ".all"
	f, err := os.Create(tmp) // want `\(\*vault\)\.replaceAll writes v\.path through v\.path\.all, a name that every writer shares`
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
}
