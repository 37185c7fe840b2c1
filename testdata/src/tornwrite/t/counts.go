// Package t is named by a letter, which says nothing of whom it serves.
package t

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func saveCounts(dir string, counts map[string]int) error {
	data, err := json.Marshal(counts)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "state.json"), data, 0o644) // want `saveCounts truncates dir/state.json`
}
