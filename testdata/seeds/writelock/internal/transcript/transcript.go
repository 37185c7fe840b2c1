// Package transcript stores what the agents of a session said, as one JSON
// file. Append must be called by the holder of the session's write lock.
package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Entry is one message of an agent.
type Entry struct {
	ID    string    `json:"id"`
	Agent string    `json:"agent"`
	Text  string    `json:"text"`
	At    time.Time `json:"at"`
}

// Load returns the entries in the file at path; a session without a file has none.
func Load(path string) ([]Entry, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var entries []Entry
	if err := json.Unmarshal(data, &entries); err != nil {
		return nil, fmt.Errorf("decode transcript %s: %w", path, err)
	}
	return entries, nil
}

// Append adds an entry to the file at path.
func Append(path string, e Entry) error {
	entries, err := Load(path)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(append(entries, e), "", "  ")
	if err != nil {
		return fmt.Errorf("encode transcript: %w", err)
	}
	return replace(path, data)
}

// replace puts data in the place of the file at path, whole or not at all.
func replace(path string, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if _, err := tmp.Write(data); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
