// Package ownlink has a function of its own that replaces files and links, and imports one that
// leaves links in place, as os.WriteFile does.
package ownlink

import (
	"encoding/json"
	"os"
	"path/filepath"

	"tornwrite/ownlink/behind"
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

func (s *session) note(text string) error {
	return behind.WriteFile("/var/lib/agentd/note", []byte(text), 0o600)
}

func replace(path string, data []byte, perm os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".session-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
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
	if err := os.Chmod(f.Name(), perm); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
