// Package ofitself keeps files about the program.
package ofitself

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type batch struct{ Commands []string }

func load(path string) (b batch, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return b, err
	}
	return b, json.Unmarshal(data, &b)
}

// Telemetry reads what saveTelemetry writes.
func Telemetry(dir string) (batch, error) { return load(filepath.Join(dir, "batch.json")) }

func saveTelemetry(dir string, b batch) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "batch.json"), data, 0o600) /* warning */ // want `saveTelemetry truncates`
}

// Checked reads what saveVersionCheck writes.
func Checked(dir string) (batch, error) { return load(filepath.Join(dir, "versions.json")) }

func saveVersionCheck(dir string, b batch) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "versions.json"), data, 0o600) /* warning */ // want `saveVersionCheck truncates`
}

// Versions reads what saveVersions writes: a history of what the user keeps.
func Versions(dir string) (batch, error) { return load(filepath.Join(dir, "kept.json")) }

func saveVersions(dir string, b batch) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "kept.json"), data, 0o600) /* error */ // want `saveVersions truncates`
}
