// Package latedefer has functions that can return before they see to it that the file is closed.
package latedefer

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type registry struct{ Names []string }

func load(dir string) (*registry, error) {
	data, err := os.ReadFile(filepath.Join(dir, "registry.json"))
	if err != nil {
		return nil, err
	}
	var r registry
	return &r, json.Unmarshal(data, &r)
}

// save would leave the temporary file where the encoding fails.
func save(dir string, r *registry) error {
	f, err := os.Create(filepath.Join(dir, "registry.json")) // want `save truncates dir/registry\.json`
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(r); err != nil {
		return err
	}
	defer f.Close()
	return nil
}

// saveInOrder has the call where it belongs.
func saveInOrder(dir string, r *registry) error {
	f, err := os.Create(filepath.Join(dir, "registry.json")) // want `saveInOrder truncates dir/registry\.json`
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(r)
}

// saveAndTell closes the file in a function of its own, which cannot be moved.
func saveAndTell(dir string, r *registry) error {
	f, err := os.Create(filepath.Join(dir, "registry.json")) // want `saveAndTell truncates dir/registry\.json.*no fix: it may return in front of the deferred call that closes the file`
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(r); err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return nil
}
