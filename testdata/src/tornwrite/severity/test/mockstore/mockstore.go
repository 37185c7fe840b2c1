// Package mockstore keeps what a mock answers.
package mockstore

import (
	"encoding/json"
	"os"
)

func Save(path string, keys []string) error {
	data, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

func Load(path string) (keys []string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return keys, json.Unmarshal(data, &keys)
}
