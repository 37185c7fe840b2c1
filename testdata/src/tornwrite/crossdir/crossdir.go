// Package crossdir makes temporary files on a file system that may be another.
package crossdir

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type manifest struct{ Parts []string }

func (m *manifest) save(path string) error {
	f, err := os.CreateTemp("", "manifest-*") // want `\(\*manifest\)\.save makes the temporary file for path in another directory`
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := json.NewEncoder(f).Encode(m); err != nil {
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

func (m *manifest) saveHome(home string) error {
	tmp, err := os.CreateTemp(os.TempDir(), "manifest") // want `\(\*manifest\)\.saveHome makes the temporary file for home/manifest\.json in another directory`
	if err != nil {
		return err
	}
	if err := json.NewEncoder(tmp).Encode(m); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Sync(); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), filepath.Join(home, "manifest.json"))
}
