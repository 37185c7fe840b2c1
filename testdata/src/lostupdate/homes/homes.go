// Package homes has a store in a place that other packages name.
package homes

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/renameio/v2"

	"lostupdate/homes/dirs"
)

// Store has a mutex, which other processes know nothing of.
type Store struct {
	mu  sync.Mutex
	dir string
}

// New makes the store of a directory.
func New(dir string) *Store { return &Store{dir: dir} }

// Default makes that which all processes of the user have.
func Default() *Store { return New(filepath.Join(dirs.State(), "sessions")) }

// Whole is the same store, seen whole.
func (s *Store) Whole() *Store { return &Store{dir: s.dir} }

// Add adds a session.
func (s *Store) Add(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := filepath.Join(s.dir, "index.json")
	var names []string
	data, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err := json.Unmarshal(data, &names); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if data, err = json.Marshal(append(names, name)); err != nil {
		return err
	}
	return renameio.WriteFile(path, data, 0o600) // want `\(\*Store\).Add loads s.dir/index.json, changes it and saves it under a mutex`
}

// Lists are kept where the caller says.
type Lists struct {
	mu  sync.Mutex
	dir string
}

// NewLists makes those of a directory.
func NewLists(dir string) *Lists { return &Lists{dir: dir} }

// Add adds a name.
func (l *Lists) Add(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	path := filepath.Join(l.dir, "list.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	if data, err = json.Marshal(append(names, name)); err != nil {
		return err
	}
	return renameio.WriteFile(path, data, 0o600) // ok: nothing says that another process has it
}
