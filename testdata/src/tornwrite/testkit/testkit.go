// Package testkit is named for tests, and is given them.
package testkit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

type kit struct {
	t   *testing.T
	dir string
}

func (k *kit) golden() (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(k.dir, "state.json"))
	if err != nil {
		return nil, err
	}
	var golden map[string]string
	return golden, json.Unmarshal(data, &golden)
}

func (k *kit) putGolden(golden map[string]string) error {
	data, err := json.Marshal(golden)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(k.dir, "state.json"), data, 0o644) // ok: its program is a test
}
