package sift

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

type Store struct{ dir string }

type Session struct{ ID string }

func (s *Store) List() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) != ".json" })
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

func (s *Store) Load(id string) (*Session, error) {
	b, err := os.ReadFile(filepath.Join(s.dir, id+".json"))
	if err != nil {
		return nil, err
	}
	var x Session
	return &x, json.Unmarshal(b, &x)
}

func (s *Store) Save(x *Session) error {
	b, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, x.ID+".json"), b, 0o600) // want tornwrite/inplace
}
