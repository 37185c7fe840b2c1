// Package constructor sets the path once and uses it elsewhere.
package constructor

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type spool struct {
	path  string
	Items []string
}

func newSpool(dir string) (*spool, error) {
	s := &spool{path: filepath.Join(dir, "spool.json")}
	b, err := os.ReadFile(s.path)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s.Items)
}

func (s *spool) reload() error {
	b, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, &s.Items)
}

func (s *spool) put(item string) error {
	s.Items = append(s.Items, item)
	b, err := json.Marshal(s.Items)
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, b, 0o644) // want `\(\*spool\)\.put truncates s\.path`
}
