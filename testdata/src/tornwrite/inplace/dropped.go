package inplace

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type droppedConfig struct{ Keys []string }

func droppedPath(dir string) string { return filepath.Join(dir, "dropped-config.json") }

// droppedLoad makes the file where it is missing, and has no variable for what it opens.
func droppedLoad(dir string) (c droppedConfig, err error) {
	path := droppedPath(dir)
	if _, err := os.Stat(path); os.IsNotExist(err) {
		_, err = os.Create(path) // which is closed by the fix
		if err != nil {
			return c, err
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(data, &c)
}

func droppedTouch(dir string) error {
	if _, err := os.Create(
		droppedPath(dir),
	); err != nil {
		return err
	}
	return droppedSave(dir, droppedConfig{})
}

func droppedSave(dir string, c droppedConfig) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(droppedPath(dir), data, 0644) // want `droppedSave truncates dir/dropped-config\.json`
}

func keptPath(dir string) string { return filepath.Join(dir, "kept-config.json") }

// keptLoad has a variable for what it opens, and never closes it.
func keptLoad(dir string) (c droppedConfig, err error) {
	f, err := os.Open(keptPath(dir))
	if err != nil {
		return c, err
	}
	return c, json.NewDecoder(f).Decode(&c)
}

func keptSave(dir string, c droppedConfig) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(keptPath(dir), data, 0644) // want `keptSave truncates dir/kept-config\.json`
}

func madeSave(dir string, c droppedConfig) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "made-config.json"), data, 0644) // want `madeSave truncates dir/made-config\.json`
}
