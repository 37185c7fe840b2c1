// Package rooted names its files in a directory that is open.
package rooted

import (
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

type state struct {
	Names []string
}

type store struct{ root *os.Root }

func (s *store) load() (*state, error) {
	data, err := s.root.ReadFile("state.json")
	if err != nil {
		return nil, err
	}
	st := new(state)
	return st, json.Unmarshal(data, st)
}

func (s *store) save(st *state) error {
	data, err := json.Marshal(st)
	if err != nil {
		return err
	}
	return s.root.WriteFile("state.json", data, 0o600) // want `save rewrites s.root/state.json in place`
}

// replace gives the new content its name when it is there.
func (s *store) replace(st *state) error {
	data, err := json.Marshal(st)
	if err != nil {
		return err
	}
	temp := "state.json." + rand.Text()
	f, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // ok: it is synced, and renamed
	if err != nil {
		return err
	}
	defer s.root.Remove(temp)
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
	return s.root.Rename(temp, "state.json")
}

// reset writes what another function finds by its path.
func reset(dir string, st *state) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.Create("names.json") // want `reset truncates dir/names.json`
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(st); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func names(dir string) (*state, error) {
	data, err := os.ReadFile(filepath.Join(dir, "names.json"))
	if err != nil {
		return nil, err
	}
	st := new(state)
	return st, json.Unmarshal(data, st)
}

// inParent reads a file by its name in the directory that it stands in.
func inParent(path string) ([]byte, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.ReadFile(filepath.Base(path))
}

func markerOf(dir string) string { return filepath.Join(dir, "marker") }

func mark(dir string, st *state) error {
	data, err := json.Marshal(st)
	if err != nil {
		return err
	}
	return os.WriteFile(markerOf(dir), data, 0o600) /* error */ // want `mark truncates dir/marker`
}

func marked(dir string) (*state, error) {
	data, err := inParent(markerOf(dir))
	if err != nil {
		return nil, err
	}
	st := new(state)
	return st, json.Unmarshal(data, st)
}

// unpack writes another file, whose name begins like that of the one that it reads.
func unpack(src string) error {
	data, err := os.ReadFile(src)
	if err != nil {
		return err
	}
	var st state
	if err := json.Unmarshal(data, &st); err != nil {
		return err
	}
	out, err := json.Marshal(st)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(filepath.Dir(src), strings.TrimSuffix(filepath.Base(src), ".in")), out, 0o600) // ok: it is not src
}
