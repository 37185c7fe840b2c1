// Package kv stands among the parts of a program that it calls tools.
package kv

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func saveStore(dir string, store map[string]string) error {
	data, err := json.Marshal(store)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "store.json"), data, 0o600) // want `saveStore truncates dir/store.json`
}
