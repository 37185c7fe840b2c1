// Package bilib answers for files that its callers name.
package bilib

import "os"

// Save writes a file.
func Save(path string, data []byte) error { return os.WriteFile(path, data, 0o600) }

// FileExists reports whether the file is there.
func FileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
