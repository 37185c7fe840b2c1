// Package atomic has the functions of github.com/natefinch/atomic, made with package
// safeio: a program that goes over needs another import path and nothing else. What is
// different stands in docs/migrate.md of the repository.
package atomic

import (
	"io"
	"os"

	"github.com/lockvet/lockvet/safeio"
)

// WriteFile replaces the file by what r has until io.EOF. A new one has mode 0600 less
// the umask.
func WriteFile(filename string, r io.Reader) error {
	return safeio.WriteReader(filename, r, 0o600)
}

// ReplaceFile is os.Rename: source is the caller's, who has synced it or not.
func ReplaceFile(source, destination string) error { return os.Rename(source, destination) }
