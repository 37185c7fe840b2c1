// A command whose functions begin with capital letters, which nobody else can call.
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
)

type settings struct{ Name string }

func ReadSettings(dir string) (s settings, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "settings.json"))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

// WriteSettings is called with directories of one run alone.
func WriteSettings(dir string, s settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), data, 0o600) // ok: nobody else has that directory
}

// WriteState is called with another one, too.
func WriteState(dir string, s settings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "state.json"), data, 0o600) // want `WriteState truncates dir/state.json before it is written`
}

func run(home string) error {
	dir, err := os.MkdirTemp("", "run-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	below := filepath.Join(dir, "project")
	if err := WriteSettings(below, settings{}); err != nil {
		return err
	}
	if err := WriteState(below, settings{}); err != nil {
		return err
	}
	if _, err := ReadSettings(below); err != nil {
		return err
	}
	return WriteState(home, settings{})
}

func main() {
	if err := run(os.Getenv("HOME")); err != nil {
		log.Fatal(err)
	}
}
