// Package peers saves its state through packages that are made for it: what they do not
// keep is reported, and nothing else.
package peers

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"
	"github.com/rogpeppe/go-internal/lockedfile"
)

type session struct {
	ID    string
	Turns []string
}

func load(dir string) (s session, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "session.json"))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

// saveLocked holds a lock that load does not take, and that a crash does not heed.
func saveLocked(dir string, s session) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return lockedfile.Write(filepath.Join(dir, "session.json"), bytes.NewReader(data), 0o600) // want `saveLocked rewrites dir/session\.json in place through lockedfile\.Write\(\): a crash or a reader in between meets a torn file`
}

// saveWhole replaces the file.
func saveWhole(dir string, s session) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return atomic.WriteFile(filepath.Join(dir, "session.json"), bytes.NewReader(data)) // ok
}
