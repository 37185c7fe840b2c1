// Package proc manages processes. The kernel keeps no file that this one decodes.
package proc

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type table struct{ dir string }

func (t *table) load() (map[string]int, error) {
	data, err := os.ReadFile(filepath.Join(t.dir, "running.json"))
	if err != nil {
		return nil, err
	}
	var running map[string]int
	return running, json.Unmarshal(data, &running)
}

func (t *table) save(running map[string]int) error {
	data, err := json.Marshal(running)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(t.dir, "running.json"), data, 0o600) // want `save truncates t.dir/running.json`
}

// limit is of a file of the kernel's, of which nothing but the name is known.
func limit(dir string, limits map[string]int) error {
	data, err := json.Marshal(limits)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "limits.json"), data, 0o600) // ok: a file of the kernel's, by the package's name
}
