// Package testutil helps tests.
package testutil

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func saveSession(dir string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "session.json"), b, 0o644) // ok: a helper of tests
}
