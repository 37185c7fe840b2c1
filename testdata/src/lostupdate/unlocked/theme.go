package unlocked

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// themePath is the program's own, and the environment puts it elsewhere.
func themePath() string {
	if path := os.Getenv("APP_THEME"); path != "" {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".app", "theme.json")
}

func setColour(name, colour string) error {
	path := themePath()
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	theme := map[string]string{}
	if err := json.Unmarshal(data, &theme); err != nil {
		return err
	}
	theme[name] = colour
	if data, err = json.Marshal(theme); err != nil {
		return err
	}
	return replace(path, data) // want `setColour loads .*, changes it and saves it with no lock`
}
