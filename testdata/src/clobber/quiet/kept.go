package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type roster struct{ Names map[string]bool }

func rosterFile(dir string) string { return filepath.Join(dir, "team", "roster.json") }

func loadRoster(path string) (*roster, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r roster
	return &r, json.Unmarshal(data, &r)
}

func saveRoster(path string, r *roster) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return replace(path, data)
}

// unread are looked at elsewhere.
var unread = map[string]error{}

func enlist(dir, name string) error {
	path := rosterFile(dir)
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	r, err := loadRoster(path)
	if err != nil {
		unread[path] = err
		r = &roster{Names: map[string]bool{}}
	}
	r.Names[name] = true
	return saveRoster(path, r)
}

// backupRoster leaves the old one beside the new.
func backupRoster(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return replace(path+".old", data)
}

func reset(dir, name string) error {
	path := rosterFile(dir)
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	if err := backupRoster(path); err != nil {
		return err
	}
	r, err := loadRoster(path)
	if err != nil {
		r = &roster{Names: map[string]bool{}}
	}
	r.Names[name] = true
	return saveRoster(path, r)
}

// writeWithBackup keeps what the file held.
func writeWithBackup(path string, data []byte) error {
	if err := backupRoster(path); err != nil {
		return err
	}
	return replace(path, data)
}

func dismiss(dir, name string) error {
	path := rosterFile(dir)
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	r := roster{Names: map[string]bool{}}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &r)
	}
	delete(r.Names, name)
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return writeWithBackup(path, data)
}

// migrateRoster saves what still has the old form.
func migrateRoster(path string, r *roster) error {
	if !r.Names["legacy"] {
		return nil
	}
	delete(r.Names, "legacy")
	return saveRoster(path, r)
}

func open(dir string) (*roster, error) {
	path := rosterFile(dir)
	unlock, err := lock(path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	r, err := loadRoster(path)
	if err != nil {
		r = &roster{Names: map[string]bool{}}
	}
	return r, migrateRoster(path, r)
}
