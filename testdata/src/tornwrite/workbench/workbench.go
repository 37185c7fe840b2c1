// Package workbench ends in a word that it has nothing to do with.
package workbench

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func saveLayout(dir string, panes []string) error {
	data, err := json.Marshal(panes)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "layout.json"), data, 0o600) // want `saveLayout truncates dir/layout.json`
}
