package removefirst

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

type room struct{ Name string }

func loadRoom(path string) (r room, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(data, &r)
}

// saveRoom leaves nothing under the name between its two renames.
func saveRoom(path string, r room) error {
	tmp, err := written(path, r) // the file is made by a helper
	if err != nil {
		return err
	}
	if err := os.Rename(path, path+".bak"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(tmp, path); err != nil { // want `saveRoom renames path to path.bak before it renames the new file to that name: a crash in between leaves no file there`
		os.Rename(path+".bak", path) // too late after a crash
		return err
	}
	return nil
}

func written(path string, r room) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".room-*")
	if err != nil {
		return "", err
	}
	if err := json.NewEncoder(f).Encode(r); err != nil {
		f.Close()
		return "", err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return "", err
	}
	return f.Name(), f.Close()
}

// A hall is looked for under its second name, too.
type hall struct {
	Name string
	path string
}

func (h *hall) save() error {
	tmp, err := written(h.path, room{h.Name})
	if err != nil {
		return err
	}
	if err := os.Rename(h.path, h.path+".prev"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, h.path) // ok: load reads what a crash has left
}

func (h *hall) load() error {
	data, err := os.ReadFile(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = os.ReadFile(h.path + ".prev")
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(data, h)
}

// A yard gets its name back when the program starts.
type yard struct {
	Name string
	path string
}

func (y *yard) save() error {
	tmp, err := written(y.path, room{y.Name})
	if err != nil {
		return err
	}
	if err := os.Rename(y.path, y.path+".last"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, y.path) // ok: recover puts it back
}

func (y *yard) recover() error {
	if _, err := os.Stat(y.path); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(y.path+".last", y.path)
	}
	return nil
}

// saveCorridor puts back what an earlier run has left before it does the same.
func saveCorridor(path string, r room) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(path+".before", path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	tmp, err := written(path, r)
	if err != nil {
		return err
	}
	if err := os.Rename(path, path+".before"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, path) // ok: the next call puts it back
}
