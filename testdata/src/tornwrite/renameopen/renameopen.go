// Package renameopen publishes files that are still being written.
package renameopen

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type roster struct{ Agents []string }

func (r *roster) save(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".roster-*") // want `\(\*roster\)\.save renames the temporary file over path before it is closed`
	if err != nil {
		return err
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(r); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
