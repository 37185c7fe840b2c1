// Package disk writes what it is told where it is told.
package disk

import (
	"encoding/json"
	"os"
)

// Put has no reason of its own to be careful.
func Put(path string, b []byte) error {
	return os.WriteFile(path, b, 0o644) // ok: only another package knows what this is
}

// Drop makes its own temporary file.
func Drop(path string, b []byte) error {
	tmp := path + ".part"
	if err := os.WriteFile(tmp, b, 0o644); err != nil { // want `Drop writes path through path\.part`
		return err
	}
	return os.Rename(tmp, path)
}

// SaveState knows by itself what it writes.
func SaveState(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644) // want `SaveState truncates path`
}

// Take copies a file to where it is told.
func Take(path, from string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644) // ok: the source is still there
}
