// Package ownnamed saves two files by a function of its program, whose temporary file always has
// the same name, and one in place.
package ownnamed

import (
	"encoding/json"
	"os"
	"path/filepath"

	"tornwrite/ownnamed/disk"
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

func (s *session) save(dir string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return disk.Replace(filepath.Join(dir, "session.json"), data, 0o600)
}

func (s *session) saveTurns(dir string) error {
	data, err := json.Marshal(s.Turns)
	if err != nil {
		return err
	}
	return disk.Replace(filepath.Join(dir, "turns.json"), data, 0o600)
}

func (s *session) saveIndex(dir string) error {
	data, err := json.Marshal(len(s.Turns))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "index.json"), data, 0o600) // want `saveIndex truncates dir/index.json before it is written`
}

func (s *session) keep(dir string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := disk.Put(filepath.Join(dir, "kept.json"), data, 0o600); err != nil {
		return err
	}
	return disk.Put(filepath.Join(dir, "also.json"), data, 0o600)
}

// publish has a temporary file of its own, and keeps one.
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
