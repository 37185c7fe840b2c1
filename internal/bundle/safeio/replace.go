package safeio

import (
	"os"
	"path/filepath"
)

// Replace replaces the named file by what save writes to another of that name, in a directory of its own.
func Replace(name string, save func(name string) error) error {
	dir, err := os.MkdirTemp("", "safeio-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	temp := filepath.Join(dir, filepath.Base(name))
	if err := save(temp); err != nil {
		return err
	}
	info, err := os.Stat(temp)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(temp)
	if err != nil {
		return err
	}
	return WriteFile(name, data, info.Mode().Perm())
}
