// Package powercut replaces files that only a power cut can lose.
package powercut

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type layout struct{ Panes []string }

func load(path string) (l layout, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(data, &l)
}

// Layout reads what Arrange writes.
func Layout(dir string) (layout, error) { return load(filepath.Join(dir, "layout.json")) }

// Arrange writes it anew each time.
func Arrange(dir string, panes []string) error {
	data, err := json.Marshal(layout{panes})
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, "layout.json"), data)
}

// Split adds to what is there.
func Split(dir, pane string) error {
	path := filepath.Join(dir, "panes.json")
	l, err := load(path)
	if err != nil {
		return err
	}
	l.Panes = append(l.Panes, pane)
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".panes-*") /* error */ // want `Split renames a file over dir/panes.json that was never synced`
	if err != nil {
		return err
	}
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path) // want `Split loads`
}

// Login keeps what cannot be had again.
func Login(dir, token string) error {
	data, err := json.Marshal(layout{[]string{token}})
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".login-*") /* error */ // want `Login renames a file over dir/token.json that was never synced`
	if err != nil {
		return err
	}
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), filepath.Join(dir, "token.json"))
}

// Token reads it.
func Token(dir string) (layout, error) { return load(filepath.Join(dir, "token.json")) }

func replace(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".layout-*") /* warning */ // want `replace renames a file over dir/layout.json that was never synced`
	if err != nil {
		return err
	}
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
