package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

// Unpack makes a directory of its own.
func Unpack(unpack func(dir string) error) error {
	dir, err := os.MkdirTemp("", "bundle-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := unpack(filepath.Join(dir, "image")); err != nil {
		return err
	}
	return prepare(filepath.Join(dir, "image"))
}

func prepare(bundle string) error {
	return strip(filepath.Join(bundle, "config.json"))
}

func strip(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var config map[string]any
	if err := json.Unmarshal(data, &config); err != nil {
		return err
	}
	delete(config, "mounts")
	if data, err = json.Marshal(config); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}
