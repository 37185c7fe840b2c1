// Package busy does nothing but file operations.
package busy

import "os"

// Save replaces a file.
func Save(path string, content []byte) error {
	if err := os.WriteFile(path+".tmp", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

// Append adds a record to a file.
func Append(path string, record []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(record); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// Load reads a file that is there.
func Load(path string) ([]byte, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
