package decode

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// reuse says of something else that it is meant so.
func reuse(dir, name string) error {
	path := filepath.Join(dir, "state", "reused.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	names := map[string]bool{}
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if len(data) > 0 {
		// The buffer is reused on purpose.
		_ = json.Unmarshal(data, &names) // want `reuse takes`
	}
	names[name] = true
	if data, err = json.Marshal(names); err != nil {
		return err
	}
	return replace(path, data)
}

// begin says it of the file.
func begin(dir, name string) error {
	path := filepath.Join(dir, "state", "begun.json")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	names := map[string]bool{}
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if len(data) > 0 {
		// A broken file is begun again on purpose.
		_ = json.Unmarshal(data, &names)
	}
	names[name] = true
	if data, err = json.Marshal(names); err != nil {
		return err
	}
	return replace(path, data)
}
