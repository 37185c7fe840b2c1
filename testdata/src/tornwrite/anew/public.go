package anew

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Prefs are what the user has set.
type Prefs struct{ Theme string }

// Load loads them.
func (p *Prefs) Load(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "agent", "prefs.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, p)
}

// Save is called where there are none, and by whoever imports the package.
func (p *Prefs) Save(dir string) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "agent", "prefs.json"), data, 0o600) /* error */ // want `Save truncates dir/agent/prefs.json`
}

// InitPrefs is the first run.
func InitPrefs(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "agent", "prefs.json")); !os.IsNotExist(err) {
		return err
	}
	return (&Prefs{Theme: "dark"}).Save(dir)
}

// saveFlags is called where there are none, and by nobody else.
func saveFlags(dir string, flags map[string]bool) error {
	data, err := json.Marshal(flags)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "agent", "flags.json"), data, 0o600)
}

// Flags loads the flags, or makes them.
func Flags(dir string) (flags map[string]bool, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "agent", "flags.json"))
	if os.IsNotExist(err) {
		flags = map[string]bool{"dark": true}
		return flags, saveFlags(dir, flags)
	}
	if err != nil {
		return nil, err
	}
	return flags, json.Unmarshal(data, &flags)
}
