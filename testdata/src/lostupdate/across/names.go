package across

import (
	"path/filepath"

	"lostupdate/across/settings"
)

// Add loads and saves the file itself, beside what Load saves.
func Add(dir, name string) error {
	path := filepath.Join(dir, "config.json")
	s, err := settings.Load(path)
	if err != nil {
		return err
	}
	s.Names = append(s.Names, name)
	return settings.Save(path, s) // want `Add loads dir/config.json, changes it and saves it with no lock`
}

// Names only loads it, which saves a file of an old form.
func Names(dir string) ([]string, error) {
	s, err := settings.Load(filepath.Join(dir, "config.json")) // want `Names has settings.Load load dir/config.json, change it and save it with no lock`
	if err != nil {
		return nil, err
	}
	return s.Names, nil
}
