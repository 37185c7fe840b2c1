package inplace

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type account struct{ Token string }

func (c *account) load(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "credentials.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, c)
}

// saveAnyhow writes in place where the rename fails.
func (c *account) saveAnyhow(dir string) error {
	path := filepath.Join(dir, "credentials.json")
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err == nil {
		return nil
	}
	// Another program may have the file open.
	return os.WriteFile(path, data, 0o600) // want `saveAnyhow truncates dir/credentials.json before it is written.*no fix: it is done where the rename above it has failed`
}
