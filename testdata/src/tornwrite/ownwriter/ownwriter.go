// Package ownwriter saves in place although its module has a function that replaces files.
package ownwriter

import (
	"encoding/json"
	"os"
	"path/filepath"

	"tornwrite/ownwriter/atomicfile"
)

type session struct{ Turns []string }

func (s *session) save(dir string) error {
	return atomicfile.WriteJSON(filepath.Join(dir, "session.json"), s)
}

func load(path string) (*session, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &session{}
	return s, json.Unmarshal(data, s)
}

func (s *session) index(dir string) error {
	data, err := json.Marshal(s.Turns)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "index.json"), data, 0o600) // want `index truncates dir/index.json before it is written`
}

// reset writes what save replaces by a function for any file, which is the one to call here, too.
func (s *session) reset(dir string) error {
	data, err := json.Marshal([]string{})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "session.json"), data, 0o600) // want `reset truncates dir/session.json`
}

// publish has a name that every writer shares.
func (s *session) publish(path string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { // want `publish writes path through path.tmp`
		return err
	}
	return os.Rename(tmp, path)
}
