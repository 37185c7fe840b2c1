// Package account saves an account to two files: its key stands in one of its own.
package account

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// An Account is what a user has.
type Account struct {
	Name string `json:"name"`
	Key  string `json:"-"`
}

func keyPath(path string) string { return filepath.Join(filepath.Dir(path), ".key.json") }

// Load reads both files.
func Load(path string) (*Account, error) {
	a := &Account{}
	key, err := os.ReadFile(keyPath(path))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(key, &a.Key); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, err
	}
	return a, nil
}

// Save replaces both.
func Save(path string, a *Account) error {
	key, err := json.Marshal(a.Key)
	if err != nil {
		return err
	}
	if err := replace(keyPath(path), key); err != nil {
		return err
	}
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return replace(path, data)
}
