// Package update has a command that updates what the user has, and looks for updates.
package update

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type entry struct{ Latest string }

func getStateEntry(dir string) (e entry, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "update-state.json"))
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal(data, &e)
}

func setStateEntry(dir string, e entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "update-state.json"), data, 0o600) /* warning */ // want `setStateEntry truncates`
}

// Updated reads what updateState writes.
func Updated(dir string) (e entry, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "entries.json"))
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal(data, &e)
}

// updateState changes the state of what the user has.
func updateState(dir string, e entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "entries.json"), data, 0o600) /* error */ // want `updateState truncates`
}

// pins are what the user wants to stay as it is.
func pins(dir string) (p map[string]string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "pins.json"))
	if err != nil {
		return nil, err
	}
	return p, json.Unmarshal(data, &p)
}

func setPins(dir string, p map[string]string) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "pins.json"), data, 0o600) /* error */ // want `setPins truncates`
}
