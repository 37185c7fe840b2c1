// Package literal takes paths from struct literals.
package literal

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type target struct {
	path string
	mode os.FileMode
}

func enqueue(dir string, jobs []string) error {
	t := target{path: filepath.Join(dir, "pending.json"), mode: 0o600}
	b, err := json.Marshal(jobs)
	if err != nil {
		return err
	}
	return os.WriteFile(t.path, b, t.mode) // want `enqueue truncates dir/pending\.json`
}

func requeue(dir string, jobs []string) error {
	t := &target{path: filepath.Join(dir, "waiting.json"), mode: 0o600}
	b, err := json.Marshal(jobs)
	if err != nil {
		return err
	}
	return os.WriteFile(t.path, b, t.mode) // want `requeue truncates dir/waiting\.json`
}
