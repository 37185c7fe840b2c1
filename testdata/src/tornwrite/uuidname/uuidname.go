// Package uuidname has a temporary file with a name that only a library makes.
package uuidname

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

type config struct{ Model string }

func load(dir string) (c config, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(data, &c)
}

func save(dir string, c config) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "config.json")
	staged := path + ".tmp-" + uuid.Must(uuid.NewRandom()).String()
	err = os.WriteFile(staged, data, 0o644) // want `save renames a file over .* that was never synced`
	if err != nil {
		return fmt.Errorf("failed to write config: %w", err)
	}
	err = os.Rename(staged, path)
	if err != nil {
		return fmt.Errorf("failed to replace config: %w", err)
	}
	return nil
}
