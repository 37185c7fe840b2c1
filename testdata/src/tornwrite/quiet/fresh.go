package quiet

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func saveScratch(s *session) (string, error) {
	dir, err := os.MkdirTemp("", "session")
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "session.json")
	return path, os.WriteFile(path, b, 0o644) // ok: nobody else knows the directory
}

func saveUnnamed(s *session) (string, error) {
	f, err := os.CreateTemp("", "session-*.json") // ok: nobody else knows the name
	if err != nil {
		return "", err
	}
	defer f.Close()
	return f.Name(), json.NewEncoder(f).Encode(s)
}

// Filling the fresh file by its name is no different.
func saveRefilled(s *session) (string, error) {
	f, err := os.CreateTemp("", "session-*.json")
	if err != nil {
		return "", err
	}
	f.Close()
	b, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	return f.Name(), os.WriteFile(f.Name(), b, 0o600) // ok: nobody else knows the name
}
