// Package behind reaches files through interfaces of its own, as programs do that want to be
// tested without a disk.
package behind

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// An openFile is what the package needs of *os.File.
type openFile interface {
	Name() string
	Write(p []byte) (n int, err error)
	Sync() error
	Close() error
}

// A disk is what the package needs of package os.
type disk interface {
	ReadFile(name string) ([]byte, error)
	CreateTemp(dir, pattern string) (openFile, error)
	Rename(from, to string) error
}

type osDisk struct{}

func (osDisk) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

func (osDisk) CreateTemp(dir, pattern string) (openFile, error) { return os.CreateTemp(dir, pattern) }

func (osDisk) Rename(from, to string) error { return os.Rename(from, to) }

type settings struct{ Theme, Font string }

func load(d disk, path string) (*settings, error) {
	data, err := d.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s settings
	return &s, json.Unmarshal(data, &s)
}

func save(d disk, path string, s *settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	f, err := d.CreateTemp(filepath.Dir(path), ".settings-*")
	if err != nil {
		return err
	}
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
	return d.Rename(f.Name(), path)
}

// setTheme saves what it has loaded through both.
func setTheme(dir, theme string) error {
	path := filepath.Join(dir, "settings.json")
	s, err := load(osDisk{}, path)
	if err != nil {
		return err
	}
	s.Theme = theme
	return save(osDisk{}, path, s) // want `setTheme loads .*settings.json, changes it and saves it with no lock`
}

// reset saves settings of its own.
func reset(dir string) error {
	return save(osDisk{}, filepath.Join(dir, "settings.json"), &settings{}) // ok: nothing of the file is in it
}
