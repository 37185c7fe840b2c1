// Package home has its file at a place that the environment chooses.
package home

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Settings are the user's.
type Settings struct{ Theme, Font string }

func file() string {
	if xdg := os.Getenv("XDG_CONFIG_HOME"); xdg != "" {
		return filepath.Join(xdg, "app", "settings.json")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".config", "app", "settings.json")
}

// Load decodes them.
func Load() (*Settings, error) {
	data, err := os.ReadFile(file())
	if err != nil {
		return nil, err
	}
	s := &Settings{}
	return s, json.Unmarshal(data, s)
}

// Save replaces them.
func Save(s *Settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(file(), data)
}
