package read

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// addServer puts a line into a list that it cannot read.
func addServer(dir, name string) error {
	path := filepath.Join(dir, "sessions", "state")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	data, _ := os.ReadFile(path) // want `addServer takes a file that cannot be read for an empty one, and saves that over dir/sessions/state`
	lines := strings.Split(string(data), "\n")
	lines = append(lines, name)
	return replace(path, []byte(strings.Join(lines, "\n")))
}

// distinct tells a missing file from one that cannot be read.
func distinct(dir, name string) error {
	path := filepath.Join(dir, "sessions", "state")
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if bytes.Contains(data, []byte(name)) {
		return nil
	}
	return replace(path, append(data, name+"\n"...))
}

// addOnly reads what is there where it can, and goes on where it cannot.
func addOnly(dir, name string) error {
	path := filepath.Join(dir, "sessions", "state")
	unlock, err := lock(path)
	if err != nil {
		return fmt.Errorf("locking the sessions: %w", err)
	}
	defer unlock()
	text := ""
	if data, err := os.ReadFile(path); err == nil { // want `addOnly takes a file that cannot be read for an empty one`
		text = string(data)
	}
	return replace(path, []byte(text+name+"\n"))
}
