package inplace

import (
	"encoding/json"
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

// reset keeps what there was under another name, and has nothing under its own until it is done.
func reset(dir string, names map[string]string) error {
	path := filepath.Join(dir, "servers.json")
	if _, err := os.Stat(path); err == nil {
		if err := os.Rename(path, path+"~"); err != nil {
			return err
		}
	}
	data, err := json.Marshal(names)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600) // want `reset truncates dir/servers.json .*\(no fix: reset gives the file another name first, and .* copy it instead`
}

func servers(dir string) (names map[string]string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "servers.json"))
	if err != nil {
		return nil, err
	}
	return names, json.Unmarshal(data, &names)
}

// try removes what it could not write, and writes the next one.
func try(dir string, names map[string]string) error {
	path := filepath.Join(dir, "servers.json")
	data, err := json.Marshal(names)
	if err != nil {
		return err
	}
	for range 3 {
		if err = os.WriteFile(path, data, 0o600); err == nil { // want `try truncates dir/servers.json`
			return nil
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return err
}
