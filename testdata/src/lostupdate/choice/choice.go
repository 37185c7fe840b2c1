// Package choice keeps settings in the file that the user names, or in one of its
// own.
package choice

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

type settings struct {
	Theme string
	Keys  map[string]string
}

// setTheme reads the file only where it was named; it writes one of two.
func setTheme(theme string) error {
	name := os.Getenv("EDITORD_SETTINGS")
	content := []byte("{}")
	if name == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		name = filepath.Join(home, ".editord.json")
	} else {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		content = data
	}
	var s settings
	if err := json.Unmarshal(content, &s); err != nil {
		return fmt.Errorf("parsing settings: %w", err)
	}
	s.Theme = theme
	out, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return safeio.WriteFile(name, out, 0o600) // want `setTheme loads \$EDITORD_SETTINGS, changes it and saves it with no lock`
}

// derive reads what ships with the program and writes one of two other files.
func derive(theme string) error {
	content, err := os.ReadFile("/usr/share/editord/settings.json")
	if err != nil {
		return err
	}
	name := os.Getenv("EDITORD_SETTINGS")
	if name == "" {
		name = filepath.Join(os.Getenv("HOME"), ".editord.json")
	}
	var s settings
	if err := json.Unmarshal(content, &s); err != nil {
		return fmt.Errorf("parsing settings: %w", err)
	}
	s.Theme = theme
	out, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return safeio.WriteFile(name, out, 0o600)
}
