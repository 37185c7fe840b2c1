// Package attest ends in a word that it has nothing to do with.
package attest

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func saveKeys(dir string, keys map[string]string) error {
	data, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "keys.json"), data, 0o600) // want `saveKeys truncates dir/keys.json`
}
