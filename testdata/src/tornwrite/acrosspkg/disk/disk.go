// Package disk writes what it is told where it is told.
package disk

import "os"

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
