// Package removefirst makes room for the new file before it is there.
package removefirst

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type workspace struct{ Root string }

func (w *workspace) save(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".workspace-*") // want `\(\*workspace\)\.save removes path before it renames the new file over it`
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(w); err != nil {
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
	os.Remove(path)
	return os.Rename(f.Name(), path)
}
