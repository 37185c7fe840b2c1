// Package shelftest helps the tests of package shelf, as httptest helps those of http.
package shelftest

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func saveState(dir string, books []string) error {
	data, err := json.Marshal(books)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "state.json"), data, 0o644) // ok: a helper of tests
}
