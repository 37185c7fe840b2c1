// Package held has a file that it loads and saves.
package held

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
	"lostupdate/ownlock/locks"
)

func add(dir, name string) error {
	data, err := os.ReadFile(filepath.Join(dir, "session.json"))
	if err != nil {
		return err
	}
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	if data, err = json.Marshal(append(names, name)); err != nil {
		return err
	}
	return safeio.WriteFile(filepath.Join(dir, "session.json"), data, 0o600) // want `add loads dir/session.json.*no fix: the program has a lock of its own for such files, locks.Acquire`
}

// clear holds the lock of another file.
func clear(dir string) error {
	release, err := locks.Acquire(filepath.Join(dir, "peers.json"))
	if err != nil {
		return err
	}
	defer release()
	return os.Remove(filepath.Join(dir, "peers.json"))
}
