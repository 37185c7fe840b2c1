package unlocked

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

// Unpack makes a directory of its own.
func Unpack(unpack func(dir string) error) error {
	dir, err := os.MkdirTemp("", "bundle-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := unpack(dir); err != nil {
		return err
	}
	return strip(filepath.Join(dir, "config.json"))
}

// Forget works on what everybody has.
func Forget(home string) error {
	return strip(filepath.Join(home, "config.json"))
}

func strip(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var config map[string]any
	if err := json.Unmarshal(data, &config); err != nil {
		return err
	}
	delete(config, "mounts")
	if data, err = json.Marshal(config); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600) // want `strip loads path, changes it and saves it with no lock`
}

// Pack makes a directory of its own, too.
func Pack(pack func(dir string) error) error {
	dir, err := os.MkdirTemp("", "pack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := pack(dir); err != nil {
		return err
	}
	return Retag(dir, "packed")
}

// Retag can be called by others.
func Retag(dir, tag string) error {
	path := filepath.Join(dir, "manifest.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var manifest map[string]string
	if err := json.Unmarshal(data, &manifest); err != nil {
		return err
	}
	manifest["tag"] = tag
	if data, err = json.Marshal(manifest); err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600) // want `Retag loads dir/manifest.json, changes it and saves it with no lock`
}
