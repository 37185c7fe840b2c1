// Package e2e drives tests of the whole program.
package e2e

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
	return os.WriteFile(filepath.Join(dir, "state.json"), data, 0o644) // ok: a tool of tests
}
