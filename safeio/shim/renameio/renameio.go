// Package renameio has the functions of github.com/google/renameio, version 1, made
// with package safeio: a program that goes over needs another import path and nothing
// else. What is different stands in docs/migrate.md of the repository.
package renameio

import (
	"os"

	"github.com/lockvet/lockvet/safeio/shim/renameio/v2"
)

// A PendingFile is that of version 2.
type PendingFile = renameio.PendingFile

// TempDir is that of version 2.
func TempDir(dest string) string { return renameio.TempDir(dest) }

// TempFile is that of version 2.
func TempFile(dir, path string) (*PendingFile, error) { return renameio.TempFile(dir, path) }

// Symlink is that of version 2.
func Symlink(oldname, newname string) error { return renameio.Symlink(oldname, newname) }

// WriteFile replaces the file and gives it the permissions perm, less nothing, also
// where it had others.
func WriteFile(filename string, data []byte, perm os.FileMode) error {
	t, err := renameio.NewPendingFile(filename, renameio.WithStaticPermissions(perm))
	if err != nil {
		return err
	}
	defer t.Cleanup()
	if _, err := t.Write(data); err != nil {
		return err
	}
	return t.CloseAtomicallyReplace()
}
