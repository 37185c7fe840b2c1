package ownwriter

import (
	"encoding/json"
	"os"
)

// The file does not import what the package does.
func (s *session) keep(path string) error {
	old, err := load(path)
	if err != nil {
		return err
	}
	data, err := json.Marshal(append(old.Turns, s.Turns...))
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `keep truncates path before it is written` `keep loads path, changes it and saves it with no lock`
}
