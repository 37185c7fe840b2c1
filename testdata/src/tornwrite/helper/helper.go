// Package helper has what tests call, in a file that is none.
package helper

import (
	"encoding/json"
	"os"
	"testing"
)

type config struct{ Name string }

func readConfig(t testing.TB, path string) config {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var c config
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// WriteConfig is for one test alone.
func WriteConfig(t testing.TB, configPath string, c config) {
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(configPath, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// SaveConfig is not.
func SaveConfig(configPath string, c config) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(configPath, data, 0o600) // want `SaveConfig truncates configPath`
}
