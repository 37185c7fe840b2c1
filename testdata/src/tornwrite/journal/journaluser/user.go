// Package journaluser keeps its state through package journal.
package journaluser

import (
	"encoding/json"
	"path/filepath"

	"tornwrite/journal"
)

type state struct{ Sessions map[string]string }

func load(dir string) (*state, error) {
	data, err := journal.Read(filepath.Join(dir, "state.json"))
	if err != nil {
		return nil, err
	}
	var s state
	return &s, json.Unmarshal(data, &s)
}

func save(dir string, s *state) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return journal.Write(filepath.Join(dir, "state.json"), data)
}
