package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// render makes a directory for itself, and a helper fills it.
func render(settings map[string]string, run func(config string) error) error {
	dir, err := os.MkdirTemp("", "render-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name, err := writeSettings(dir, settings)
	if err != nil {
		return err
	}
	return run(name)
}

func writeSettings(dir string, settings map[string]string) (string, error) {
	data, err := json.Marshal(settings)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "settings.json")
	return name, os.WriteFile(name, data, 0o600)
}
