//go:build unix

// Package nested takes the lock of a file, and calls what may take it again.
package nested

import (
	"encoding/json"
	"os"
	"syscall"

	"github.com/google/renameio/v2"
)

func lock(path string) (func(), error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() {
		syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		f.Close()
	}, nil
}

type index struct{ Names []string }

func path() (string, error) {
	home, err := os.UserHomeDir()
	return home + "/.nested/index.json", err
}

func load(path string, repair bool) (*index, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	i := &index{}
	if err := json.Unmarshal(data, i); err != nil { // want `load saves something else over it`
		if !repair {
			return nil, err
		}
		return remake(path)
	}
	return i, nil
}

// remake has the lock for itself.
func remake(path string) (*index, error) {
	unlock, err := lock(path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	i := &index{}
	return i, save(path, i)
}

func save(path string, i *index) error {
	data, err := json.Marshal(i)
	if err != nil {
		return err
	}
	return renameio.WriteFile(path, data, 0o600)
}

// Add has the lock, whatever load lets go of: that does not ask for it where it is told not to.
func Add(name string) error {
	path, err := path()
	if err != nil {
		return err
	}
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	i, err := load(path, false)
	if err != nil {
		return err
	}
	i.Names = append(i.Names, name)
	return save(path, i) // ok
}
