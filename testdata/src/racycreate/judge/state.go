package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// A State says what runs.
type State struct {
	Number int
	Ports  []int
}

func load(dir string) (State, error) {
	var s State
	data, err := os.ReadFile(filepath.Join(dir, "server.json"))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

func save(dir string, s State) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "server-*")
	if err != nil {
		return err
	}
	if _, err := tmp.Write(data); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := tmp.Sync(); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), filepath.Join(dir, "server.json"))
}

func alive(number int) bool { return number > 0 && syscall.Kill(number, 0) == nil }

// up asks by a file that is not named for a claim.
func up(dir string, spawn func() (State, error)) error {
	if s, err := load(dir); err == nil && alive(s.Number) {
		fmt.Println("already running as", s.Number)
		return nil
	}
	s, err := spawn()
	if err != nil {
		return err
	}
	return save(dir, s) // want `up has dir/server.json written by save where nobody is at work, as far as load tells`
}

// shows only what runs, and saves what it has.
func shows(dir string, s State) error {
	if old, err := load(dir); err == nil && alive(old.Number) {
		return nil
	}
	return save(dir, s)
}
