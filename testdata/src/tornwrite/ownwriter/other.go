package ownwriter

import (
	"encoding/json"
	"os"
)

// keep stands in a file that does not import what the package does.
func keep(path, turn string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var turns []string
	if err := json.Unmarshal(old, &turns); err != nil {
		return err
	}
	data, err := json.Marshal(append(turns, turn))
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `keep truncates path before it is written` `keep loads path, changes it and saves it with no lock`
}

// share edits what may be for its owner alone: the function of the module would let others read it.
func share(path, turn string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var turns []string
	if err := json.Unmarshal(old, &turns); err != nil {
		return err
	}
	data, err := json.Marshal(append(turns, turn))
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644) // want `share truncates path before it is written` `share loads path, changes it and saves it with no lock`
}
