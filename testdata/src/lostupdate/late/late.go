package late

import (
	"encoding/json"
	"os"
)

type index struct {
	Sessions map[string]string
}

func loadIndex(path string) (*index, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var x index
	return &x, json.Unmarshal(data, &x)
}

func saveIndex(path string, x *index) error {
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// register believes that a lock around the save is enough.
func register(path, id, file string) error {
	x, err := loadIndex(path)
	if err != nil {
		return err
	}
	x.Sessions[id] = file
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	return saveIndex(path, x) // want `register takes the lock of path only after it has loaded it, and saves what it loaded: what another process saves in between is lost`
}
