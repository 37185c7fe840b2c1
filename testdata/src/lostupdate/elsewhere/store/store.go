// Package store has both halves of a change, and nobody who makes one.
package store

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Sessions are what runs.
type Sessions struct{ Open map[string]string }

func file(dir string) string { return filepath.Join(dir, "state", "sessions.json") }

// Load decodes them.
func Load(dir string) (*Sessions, error) {
	data, err := os.ReadFile(file(dir))
	if err != nil {
		return nil, err
	}
	s := &Sessions{}
	return s, json.Unmarshal(data, s)
}

// Save replaces them.
func Save(dir string, s *Sessions) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".tmp-*")
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
	return os.Rename(tmp.Name(), file(dir))
}
