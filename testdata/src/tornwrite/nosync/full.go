package nosync

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

var errFull = errors.New("no space left")

// A credential lets somebody in.
type credential struct{ Token string }

// save has a word of its own for a disk that is full.
func (c *credential) save(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `\(\*credential\)\.save renames a file over path that was never synced`
	if err != nil {
		return fmt.Errorf("failed to create temporary file: %v", err)
	}
	defer os.Remove(f.Name())

	_, err = f.WriteString(c.Token)
	if err != nil {
		f.Close()
		if errors.Is(err, syscall.ENOSPC) {
			return errFull
		}
		return fmt.Errorf("failed to write token: %v", err)
	}

	if err = f.Close(); err != nil {
		return fmt.Errorf("failed to close temporary file: %v", err)
	}
	return os.Rename(f.Name(), path)
}

// saveNamed returns by the name of its result.
func (c *credential) saveNamed(path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // want `\(\*credential\)\.saveNamed renames a file over path that was never synced`
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = f.WriteString(c.Token); err != nil {
		f.Close()
		if errors.Is(err, syscall.ENOSPC) {
			return
		}
		return fmt.Errorf("failed to write token: %w", err)
	}
	if err = f.Close(); err != nil {
		return fmt.Errorf("failed to close temporary file: %w", err)
	}
	return os.Rename(f.Name(), path)
}
