// Package settings loads a file that its callers name, and saves it again where it is of an old form.
package settings

import (
	"encoding/json"
	"os"
)

// A Settings has a form.
type Settings struct {
	Version int
	Names   []string
}

// Load brings the file into the form of today.
func Load(path string) (*Settings, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := new(Settings)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, err
	}
	if s.Version < 2 {
		s.Version = 2
		if err := Save(path, s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Save replaces the file.
func Save(path string, s *Settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(path, data)
}
