// Package stucktemp has replacements whose temporary file must not be there.
package stucktemp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func load(path string) (counts map[string]int, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return counts, json.Unmarshal(data, &counts)
}

// save leaves its temporary file where it is killed, and never comes past it again.
func save(path string, counts map[string]int) error {
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s", filepath.Base(path)))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_SYNC, 0o600) // want `save makes .* which must not be there, to replace path`
	if err != nil {
		return err
	}
	err = json.NewEncoder(f).Encode(counts)
	f.Close()
	if err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// saveCleared takes away what another run has left.
func saveCleared(path string, counts map[string]int) error {
	temp := path + ".new"
	os.Remove(temp)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_SYNC, 0o600)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(counts); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// saveLocked has a temporary file that says that somebody is at work.
func saveLocked(path string, counts map[string]int) error {
	temp := path + ".lock"
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_SYNC, 0o600)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(counts); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// saveAlone says who else is at work.
func saveAlone(path string, counts map[string]int) error {
	temp := path + ".new"
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_SYNC, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is being written by somebody else", path)
	}
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(counts); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// writePid writes what nobody misses, and cannot do so again.
func writePid(path string) error {
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_SYNC, 0o600) // want `writePid makes .* which must not be there, to replace path`
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(f, os.Getpid())
	f.Close()
	if err != nil {
		return err
	}
	return os.Rename(temp, path)
}
