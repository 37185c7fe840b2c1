// Package closed closes new contents where it should commit them.
package closed

import (
	"bufio"
	"encoding/json"
	"fmt"

	"github.com/google/renameio/v2"
	"github.com/lockvet/lockvet/safeio"
)

func save(path string, v any) error {
	f, err := safeio.Create(path)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(v); err != nil {
		f.Close()
		return err
	}
	return f.Close() // want `save closes the new content of path without Commit, which throws it away: the old file stays`
}

func saveChecked(path string, data []byte) error {
	f, err := safeio.CreatePerm(path, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Close(); err != nil { // want `saveChecked closes the new content of path without Commit`
		return fmt.Errorf("saving: %w", err)
	}
	return nil
}

func saveQuietly(path string, data []byte) {
	f, err := safeio.Create(path)
	if err != nil {
		return
	}
	f.Write(data)
	f.Close() // want `saveQuietly closes the new content of path without Commit.*no fix: nobody looks at the error of closing it`
}

func saveByRename(dir, path string, data []byte) error {
	t, err := renameio.TempFile(dir, path)
	if err != nil {
		return err
	}
	defer t.Cleanup()
	if _, err := t.Write(data); err != nil {
		return err
	}
	return t.Close() // want `saveByRename closes the new content of path without CloseAtomicallyReplace`
}

func saveWithMode(path string, data []byte) error {
	t, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o640))
	if err != nil {
		return err
	}
	if _, err := t.Write(data); err != nil {
		t.Cleanup()
		return err
	}
	return t.Close() // want `saveWithMode closes the new content of path without CloseAtomicallyReplace`
}
