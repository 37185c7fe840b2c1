package inplace

import (
	"fmt"
	"os"
	"path/filepath"
)

// restart makes room for the list before it writes it.
func restart(dir string, names map[string]string) error {
	path := filepath.Join(dir, "state.txt")
	if err := os.Remove(path); err != nil {
		return err
	}
	f, err := os.Create(path) // want `restart truncates dir/state.txt .*\(no fix: restart removes the file first`
	if err != nil {
		return err
	}
	for name, value := range names {
		if _, err := fmt.Fprintln(f, name, value); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

func states(dir string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, "state.txt")) }
