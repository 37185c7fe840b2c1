package unproven

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type line struct{ Text string }

// lines are written for nobody.
type lines []line

// Save is of a list.
func (l lines) Save(dir string) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "history.json"), b, 0o600) /* warning */ // want `lines\)\.Save truncates`
}

type character struct{ Name string }

// Load is of another type than the list, and of another file.
func Load(file string) (*character, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var c character
	return &c, json.Unmarshal(b, &c)
}
