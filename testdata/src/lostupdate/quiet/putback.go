package quiet

import (
	"os"
	"path/filepath"
)

// rekey has the store make a new key, and puts the old one back where it cannot.
func rekey(dir string, restart func() error) error {
	name := filepath.Join(dir, "state", "store.key")
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := os.Remove(name); err != nil {
		return err
	}
	if err := restart(); err != nil {
		os.WriteFile(name, old, 0o600)
		return err
	}
	return nil
}
