// Package files loads and saves for others.
package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

// Load decodes a file, or nothing where it cannot.
func Load(path string) map[string]string {
	m := map[string]string{}
	data, err := os.ReadFile(path)
	if err != nil {
		return m
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return map[string]string{}
	}
	return m
}

// Read decodes a file.
func Read(path string) (map[string]string, error) {
	m := map[string]string{}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return m, json.Unmarshal(data, &m)
}

// Save replaces a file.
func Save(path string, m map[string]string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return replace(path, data)
}

func replace(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Sync(); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// Settings are what a person has chosen.
type Settings struct{ Theme string }

// SettingsFile is where they are.
func SettingsFile(dir string) string { return filepath.Join(dir, "state", "settings.json") }

// LoadSettings decodes them; nil where it cannot.
func LoadSettings(dir string) *Settings {
	data, err := os.ReadFile(SettingsFile(dir))
	if err != nil {
		return nil
	}
	var s Settings
	if err := json.Unmarshal(data, &s); err != nil {
		return nil
	}
	return &s
}

// SaveSettings replaces them.
func SaveSettings(dir string, s *Settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(SettingsFile(dir), data)
}

// ParseSettings decodes them, or says why it cannot.
func ParseSettings(dir string) (*Settings, error) {
	data, err := os.ReadFile(SettingsFile(dir))
	if err != nil {
		return nil, err
	}
	var s Settings
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	return &s, nil
}

func windows(dir string) string { return filepath.Join(dir, "state", "windows.json") }

// LoadWindows decodes a file of this package, or nothing where it cannot.
func LoadWindows(dir string) map[string]string {
	m := map[string]string{}
	data, err := os.ReadFile(windows(dir))
	if err != nil {
		return m
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return map[string]string{}
	}
	return m
}

// SaveWindows replaces it.
func SaveWindows(dir string, m map[string]string) error { return Save(windows(dir), m) }

// Stop says what is wrong, and ends the program.
func Stop(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format, args...)
	if len(args) > 0 {
		leave(2)
	} else {
		leave(1)
	}
}

func leave(code int) { os.Exit(code) }

// Weigh ends the program where there is no room.
func Weigh(err error) {
	if errors.Is(err, os.ErrClosed) {
		leave(3)
	}
}

// Attempt catches what it throws.
func Attempt(err error) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintln(os.Stderr, r)
		}
	}()
	log.Panicln(err)
}
