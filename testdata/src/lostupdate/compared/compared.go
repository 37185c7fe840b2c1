// Package compared saves what nobody else has changed since it was loaded.
package compared

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"os"
	"syscall"

	"github.com/lockvet/lockvet/safeio"
)

type stacks struct {
	Names map[string]string
	sum   []byte
}

func load(path string) (*stacks, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s stacks
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	s.sum = sum[:]
	return &s, nil
}

var errStale = errors.New("somebody else has saved it")

func unchanged(path string, s *stacks) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(data); !bytes.Equal(sum[:], s.sum) {
		return errStale
	}
	return nil
}

func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// save refuses to save over what it has not seen.
func save(path string, s *stacks) error {
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	if err := unchanged(path, s); err != nil {
		return err
	}
	return write(path, s)
}

// overwrite locks, too, and looks at nothing.
func overwrite(path string, s *stacks) error {
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	return write(path, s)
}

// sign reads another file under the lock.
func sign(path string, s *stacks) error {
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.ReadFile(path + ".pub"); err != nil {
		return err
	}
	return write(path, s)
}

// prove reads what it has written.
func prove(path string, s *stacks) error {
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	if err := write(path, s); err != nil {
		return err
	}
	_, err = os.ReadFile(path)
	return err
}

// backup keeps a copy of what it overwrites.
func backup(path string, s *stacks) error {
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := safeio.WriteFile(path+".bak", old, 0o600); err != nil {
		return err
	}
	return write(path, s)
}

func write(path string, s *stacks) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}

func add(path, name string) error {
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Names[name] = name
	return save(path, s)
}

func replace(path, name string) error {
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Names[name] = name
	return overwrite(path, s) // want `replace takes the lock of path only after it has loaded it`
}

func signed(path, name string) error {
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Names[name] = name
	return sign(path, s) // want `signed takes the lock of path only after it has loaded it`
}

func proven(path, name string) error {
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Names[name] = name
	return prove(path, s) // want `proven takes the lock of path only after it has loaded it`
}

func kept(path, name string) error {
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Names[name] = name
	return backup(path, s) // want `kept takes the lock of path only after it has loaded it`
}

var _, _, _, _, _ = add, replace, signed, proven, kept
