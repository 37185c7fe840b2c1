// Package given is told which file.
package given

import (
	"bytes"
	"encoding/json"
	"os"
)

// Replace replaces any file with any content.
func Replace(file string, b []byte) error {
	var v any
	if old, err := os.ReadFile(file); err == nil && json.Unmarshal(old, &v) == nil && bytes.Equal(old, b) {
		return nil
	}
	tmp := file + ".tmp"
	if err := os.WriteFile(tmp, b, 0o600); err != nil { /* error */ // want `a name that every writer shares`
		return err
	}
	return os.Rename(tmp, file)
}

// A Profile is one kind of object.
type Profile struct{ Name string }

// Save writes a profile, and nothing else.
func Save(file string, p Profile) error {
	var old Profile
	if b, err := os.ReadFile(file); err == nil && json.Unmarshal(b, &old) == nil && old == p {
		return nil
	}
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	tmp := file + ".tmp"
	if err := os.WriteFile(tmp, b, 0o600); err != nil { /* warning */ // want `a name that every writer shares`
		return err
	}
	return os.Rename(tmp, file)
}
