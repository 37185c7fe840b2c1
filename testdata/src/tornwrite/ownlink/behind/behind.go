// Package behind replaces files, and leaves the links to them in place.
package behind

import (
	"os"
	"path/filepath"
)

// WriteFile writes a file as a whole.
func WriteFile(path string, data []byte, perm os.FileMode) error {
	return write(resolve(path), data, perm, false)
}

// WriteFileSync writes a file as a whole, and to the disk.
func WriteFileSync(path string, data []byte, perm os.FileMode) error {
	return write(resolve(path), data, perm, true)
}

func resolve(path string) string {
	target, err := os.Readlink(path)
	if err != nil {
		return path
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	return target
}

func write(path string, data []byte, perm os.FileMode, sync bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".behind-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if sync {
		if err := f.Sync(); err != nil {
			f.Close()
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), perm); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
