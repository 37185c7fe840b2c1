// Package migrate brings files to a newer form.
package migrate

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func load(dir string) (v map[string]string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "settings.json"))
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(data, &v)
}

func Rewrite(dir string, v map[string]string) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), data, 0o600) // want `Rewrite truncates`
}
