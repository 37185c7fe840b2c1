package decode

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func namesFile(town string) string { return filepath.Join(town, "mayor", "names.json") }

// readNames has none where the file is broken.
func readNames(town string) ([]string, error) {
	data, err := os.ReadFile(namesFile(town))
	if err != nil {
		return nil, err
	}
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return nil, nil // want `readNames takes a file that cannot be decoded for an empty one, and forget saves that over`
	}
	return names, nil
}

// forget saves all names but one.
func forget(town, name string) error {
	unlock, err := lock(namesFile(town))
	if err != nil {
		return err
	}
	defer unlock()
	names, err := readNames(town)
	if err != nil {
		return err
	}
	var others []string
	for _, n := range names {
		if n != name {
			others = append(others, n)
		}
	}
	data, err := json.Marshal(others)
	if err != nil {
		return err
	}
	return replace(namesFile(town), data)
}
