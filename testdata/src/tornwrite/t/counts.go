// Package t stands where projects keep the tools of their tests.
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
	return os.WriteFile(filepath.Join(dir, "state.json"), data, 0o644) // ok: a tool of tests
}
