// Package placeholder makes empty files, of which only the names count.
package placeholder

import (
	"fmt"
	"os"
	"path/filepath"
)

const runDir = "/run/spaces"

// NewSpace makes a place to mount something, and clears it where that fails.
func NewSpace(name string, mount func(string) error) (err error) {
	place := filepath.Join(runDir, name)
	f, err := os.Create(place) // want `NewSpace makes /run/spaces/name by a call that takes an existing one as well: of two that choose the same name both go on`
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(place)
		}
	}()
	return mount(place)
}

// NewMark leaves its file.
func NewMark(name string) error {
	f, err := os.Create(filepath.Join(runDir, name)) // ok: nobody removes it
	if err != nil {
		return err
	}
	return f.Close()
}

// NewProbe only asks whether it can.
func NewProbe(dir string) error {
	path := filepath.Join(dir, ".probe")
	f, err := os.Create(path) // ok: one name for all
	if err != nil {
		return err
	}
	f.Close()
	defer os.Remove(path)
	return nil
}

// NewNote has something to say.
func NewNote(name, text string, send func(string) error) error {
	path := filepath.Join(runDir, name)
	f, err := os.Create(path) // ok: its content counts
	if err != nil {
		return err
	}
	fmt.Fprint(f, text)
	f.Close()
	defer os.Remove(path)
	return send(path)
}
