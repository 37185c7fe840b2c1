package update

import (
	"os"
	"path/filepath"
)

// flip changes the bytes where they are.
func flip(dir string) error {
	name := filepath.Join(dir, "state", "switches")
	all, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	all[0] ^= 1
	return os.WriteFile(name, all, 0o600) // want `flip loads dir/state/switches, changes it and saves it with no lock` `flip truncates`
}
