package unlocked

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
)

var profile = flag.String("profile", "default", "whose settings")

type settings struct{ Theme string }

// setTheme changes a file of the program's own: the user says whose it is.
func setTheme(dir, theme string) error {
	path := filepath.Join(dir, *profile, "settings.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var s settings
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	s.Theme = theme
	if data, err = json.Marshal(s); err != nil {
		return err
	}
	return replace(path, data) // want `setTheme loads dir/.*/settings.json, changes it and saves it with no lock`
}
