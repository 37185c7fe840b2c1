// Package index keeps an index that several processes save.
package index

import (
	"encoding/json"
	"os"
	"syscall"
)

// A Store is the index of one directory.
type Store struct {
	path    string
	entries map[string]int
}

func New(path string) *Store { return &Store{path: path, entries: map[string]int{}} }

// Load reads the index under the lock.
func (s *Store) Load() error {
	lock, err := s.lock(syscall.LOCK_SH)
	if err != nil {
		return err
	}
	defer lock.Close()
	data, err := os.ReadFile(s.path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &s.entries)
}

// Add notes an entry, in memory.
func (s *Store) Add(name string) { s.entries[name]++ }

// Close saves the index under the lock, as it was loaded by whoever has it.
func (s *Store) Close() error {
	lock, err := s.lock(syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer lock.Close()
	data, err := json.Marshal(s.entries)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(".", "index")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	if _, err := temp.Write(data); err != nil {
		temp.Close()
		return err
	}
	if err := temp.Sync(); err != nil {
		temp.Close()
		return err
	}
	if err := temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), s.path)
}

func (s *Store) lock(how int) (*os.File, error) {
	f, err := os.OpenFile(s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
