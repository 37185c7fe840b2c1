// Package creds keeps what it has loaded, and refreshes it.
package creds

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Creds are those of the user.
type Creds struct{ Token, User string }

var cached *Creds

func file() string {
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".tool", "creds.json")
}

func load() (*Creds, error) {
	if cached != nil {
		return cached, nil
	}
	data, err := os.ReadFile(file())
	if err != nil {
		return nil, err
	}
	var c Creds
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	cached = &c
	return cached, nil
}

// Check asks whether there are any.
func Check() (bool, error) {
	c, err := load()
	return c != nil, err
}

// Refresh loads, changes and saves: that is the one report.
func Refresh(token string) error {
	c, err := load()
	if err != nil {
		return err
	}
	c.Token = token
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file()), "creds")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file()) // want `Refresh loads .*creds.json, changes it and saves it with no lock`
}
