// Package closeerror does not hear of writes that fail late.
package closeerror

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type bookmarks struct{ Pages []string }

func (b *bookmarks) save(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".bookmarks-*") // want `\(\*bookmarks\)\.save drops the error of Close and syncs nothing before it renames the file over path`
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(b); err != nil {
		f.Close()
		return err
	}
	f.Close()
	return os.Rename(f.Name(), path)
}
