// Package released is what mended programs look like.
package released

import (
	"encoding/json"

	"github.com/lockvet/lockvet/safeio"
)

func saveSession(path string, v any) error {
	f, err := safeio.Create(path) // ok: nothing is published before Commit
	if err != nil {
		return err
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(v); err != nil {
		return err
	}
	return f.Commit()
}

func saveState(path string, b []byte) error {
	return safeio.WriteFile(path, b, 0o600) // ok: replaced in one step
}
