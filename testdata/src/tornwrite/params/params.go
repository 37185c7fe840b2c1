// Package params writes through helpers that do not know what they write.
package params

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func put(path string, b []byte) error {
	return os.WriteFile(path, b, 0o644) // want `put truncates dir/registry\.json before it is written`
}

func saveRegistry(dir string, agents map[string]string) error {
	b, err := json.Marshal(agents)
	if err != nil {
		return err
	}
	return put(filepath.Join(dir, "registry.json"), b)
}

// Nobody passes a path of state to deliver.
func deliver(path string, b []byte) error {
	return os.WriteFile(path, b, 0o644) // ok: no caller says what it is
}

func banner(dir string, b []byte) error {
	return deliver(filepath.Join(dir, "banner"), b)
}

// Between the caller that knows and the write stand two helpers.
func outer(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return inner(path, b)
}

func inner(path string, b []byte) error {
	f, err := os.Create(path) // want `inner truncates dir/lease\.json before it is written`
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func renew(dir string) error {
	return outer(filepath.Join(dir, "lease.json"), 3)
}
