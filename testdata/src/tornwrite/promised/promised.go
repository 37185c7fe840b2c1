// Package closeerror writes any file for its callers, by functions that are named for more than
// they do.
package closeerror

import (
	"os"
	"path/filepath"
)

// AtomicWriteFile writes data to a temporary file and renames that.
func AtomicWriteFile(name string, data []byte, perm os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".tmp-*") // want `AtomicWriteFile drops the error of Close and syncs nothing before it renames the file over name`
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := os.Chmod(f.Name(), perm); err != nil {
		f.Close()
		return err
	}
	_, err = f.Write(data)
	f.Close()
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// Install does the same, and is named for nothing of the kind.
func Install(name string, data []byte, perm os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := os.Chmod(f.Name(), perm); err != nil {
		f.Close()
		return err
	}
	_, err = f.Write(data)
	f.Close()
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// WriteAtomically has all that its name says.
func WriteAtomically(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
