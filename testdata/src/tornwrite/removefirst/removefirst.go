// Package removefirst makes room for the new file before it is there.
package removefirst

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

type workspace struct{ Root string }

func (w *workspace) save(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".workspace-*") // want `\(\*workspace\)\.save removes path before it renames the new file over it`
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(w); err != nil {
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
	os.Remove(path)
	return os.Rename(f.Name(), path)
}

// replace makes room only where the rename is refused because there is a file.
func (w *workspace) replace(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".workspace-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := json.NewEncoder(f).Encode(w); err != nil {
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
	if err := os.Rename(f.Name(), path); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		os.Remove(path)
		return os.Rename(f.Name(), path)
	}
	return nil
}

// rebuild takes back what the file says before it starts to make that true again.
func (w *workspace) rebuild(path string, build func() error) error {
	os.Remove(path)
	if err := build(); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".workspace-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := json.NewEncoder(f).Encode(w); err != nil {
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
	return os.Rename(f.Name(), path)
}

// keep removes nothing but where the system asks for it.
func (w *workspace) keep(dir string) error {
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return swap(filepath.Join(dir, "workspace.json"), data)
}

func swap(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".workspace-*")
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
	if runtime.GOOS == "windows" {
		os.Remove(path)
	}
	return os.Rename(f.Name(), path)
}

// store leaves the rename to a helper, which makes room where the system may ask for it.
func (w *workspace) store(dir string) error {
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "workspace.json")
	f, err := os.CreateTemp(dir, ".workspace-*")
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
	return move(f.Name(), path) // want `store removes dir/workspace.json before it renames the new file over it`
}

var system = runtime.GOOS

func move(from, to string) error {
	if system != "windows" {
		return os.Rename(from, to)
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(from, to)
}

// force makes room after any failure, as if the target were what is in the way.
func (w *workspace) force(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".workspace-*") // want `\(\*workspace\)\.force removes path before it renames the new file over it`
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := json.NewEncoder(f).Encode(w); err != nil {
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
	err = os.Rename(f.Name(), path)
	if err != nil && runtime.GOOS == "windows" {
		if _, statErr := os.Stat(path); statErr == nil {
			_ = os.Remove(path)
			err = os.Rename(f.Name(), path)
		}
	}
	return err
}
