// Package mocks stands for parts of a program in its tests.
package mocks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func acquire(dir string) error {
	path := filepath.Join(dir, "mock.lock")
	if _, err := os.Stat(path); err == nil {
		return errors.New("already running")
	}
	return os.WriteFile(path, fmt.Appendln(nil, os.Getpid()), 0o600) // ok: nothing but a test runs it
}

func release(dir string) error { return os.Remove(filepath.Join(dir, "mock.lock")) }

// Files is a directory of files.
type Files struct{ dir string }

// Put adds a file to those that a mock answers with.
func (s *Files) Put(name string, data []byte) error {
	path := filepath.Join(s.dir, name)
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists already", name)
	}
	return os.WriteFile(path, data, 0o600) // ok: no program has such a directory
}
