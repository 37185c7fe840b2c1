package anew

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

func rosterFile(dir string) string { return filepath.Join(dir, "state", "roster.json") }

func rosterExists(dir string) (bool, error) {
	if _, err := os.Stat(rosterFile(dir)); err != nil {
		if os.IsNotExist(err) {
			return false, nil
		}
		return false, err
	}
	return true, nil
}

// startRoster makes the file only where a helper says that there is none.
func startRoster(dir string) error {
	exists, err := rosterExists(dir)
	if err != nil {
		return err
	}
	if exists {
		return nil
	}
	data, err := json.Marshal(map[string]string{"owner": dir})
	if err != nil {
		return err
	}
	return os.WriteFile(rosterFile(dir), data, 0o600) /* warning */ // want `startRoster truncates`
}

func roster(dir string) (m map[string]string, err error) {
	data, err := os.ReadFile(rosterFile(dir))
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

// keepRoster leaves an old one alone, which it has looked into.
func keepRoster(dir string, members []string) error {
	data, err := json.Marshal(map[string][]string{"members": members})
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(rosterFile(dir)); err == nil {
		if len(old) == 0 {
			return errors.New("an empty roster")
		}
		return nil
	} else if !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(rosterFile(dir), data, 0o600) /* warning */ // want `keepRoster truncates`
}
