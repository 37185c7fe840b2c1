// Package rigs loads and saves what packages needs and early change.
package rigs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

type Rig struct {
	Name  string
	Names []string
	Paths map[string]*string
}

// ErrNotFound says that there is no rig.
var ErrNotFound = errors.New("rig not found")

// Load needs the file.
func Load(path string) (*Rig, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, fmt.Errorf("%w: %s", ErrNotFound, path)
		}
		return nil, err
	}
	var r Rig
	return &r, json.Unmarshal(data, &r)
}

// LoadOrCreate begins where there is none.
func LoadOrCreate(path string) (*Rig, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		if os.IsNotExist(err) {
			return &Rig{}, nil
		}
		return nil, err
	}
	var r Rig
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	return &r, nil
}

// Save makes the directory, and replaces the file.
func Save(path string, r *Rig) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Sync(); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
