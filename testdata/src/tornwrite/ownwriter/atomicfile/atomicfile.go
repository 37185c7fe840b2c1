// Package atomicfile replaces files as a whole.
package atomicfile

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// WriteJSON encodes and writes.
func WriteJSON(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return WriteFile(path, data, 0o644)
}

// WriteFile is as os.WriteFile, in one step.
func WriteFile(path string, data []byte, perm os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".tmp.*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Chmod(perm); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Overwrite looks like it and is not.
func Overwrite(path string, data []byte, perm os.FileMode) error {
	return os.WriteFile(path, data, perm)
}
