// Package released has a file that it loads and saves.
package released

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
	"lostupdate/ownlock/shared"
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
	return safeio.WriteFile(filepath.Join(dir, "session.json"), data, 0o600) // want `add loads dir/session.json`
}

// peers are read under a lock that nobody else could hold for longer.
func peers(dir string) ([]byte, error) { return shared.Read(filepath.Join(dir, "peers.json")) }
