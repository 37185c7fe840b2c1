// Package ownspecial has a function that replaces one kind of files, by its name.
package ownspecial

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type session struct{ Turns []string }

func load(path string) (*session, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &session{}
	return s, json.Unmarshal(data, s)
}

func (s *session) save(path string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `save truncates path before it is written`
}

func (s *session) register(dir string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return atomicWriteRegistry(filepath.Join(dir, "registry.json"), data, 0o600)
}

func atomicWriteRegistry(path string, data []byte, perm os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".registry-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Chmod(perm); err != nil {
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
	return os.Rename(f.Name(), path)
}
