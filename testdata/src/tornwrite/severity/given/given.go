// Package given is told which file.
package given

import (
	"encoding/json"
	"os"
)

// Replace replaces any file.
func Replace(file string, v any) error {
	var old any
	if b, err := os.ReadFile(file); err == nil && json.Unmarshal(b, &old) == nil && old == v {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	tmp := file + ".tmp"
	if err := os.WriteFile(tmp, b, 0o600); err != nil { /* error */ // want `a name that every writer shares`
		return err
	}
	return os.Rename(tmp, file)
}
