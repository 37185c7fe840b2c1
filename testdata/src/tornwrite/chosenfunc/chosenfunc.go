// Package chosenfunc calls functions of which branches or tables choose one.
package chosenfunc

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type shelf struct {
	dir   string
	sync  func(*os.File) error // nil for (*os.File).Sync
	check func(*os.File) error // nil for none
}

func (s *shelf) load(name string, v any) error {
	data, err := os.ReadFile(filepath.Join(s.dir, name+".json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// save has its tests replace the sync.
func (s *shelf) save(name string, v any) error {
	f, err := os.CreateTemp(s.dir, ".new-*") // ok: whichever is called, it syncs
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := json.NewEncoder(f).Encode(v); err != nil {
		f.Close()
		return err
	}
	flush := f.Sync
	if s.sync != nil {
		flush = func() error { return s.sync(f) }
	}
	if err := flush(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(s.dir, name+".json"))
}

// checked hands the file to a function that may do anything with it.
func (s *shelf) checked(name string, v any) error {
	f, err := os.CreateTemp(s.dir, ".new-*") // ok: what check does cannot be seen
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := json.NewEncoder(f).Encode(v); err != nil {
		f.Close()
		return err
	}
	if err := s.check(f); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(s.dir, name+".json"))
}

// measure asks for two things, neither of which is a sync.
func (s *shelf) measure(name string, v any, mode os.FileMode) error {
	f, err := os.CreateTemp(s.dir, ".new-*") // want `\(\*shelf\)\.measure renames a file over .* that was never synced`
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := json.NewEncoder(f).Encode(v); err != nil {
		f.Close()
		return err
	}
	set := func() error { return f.Chmod(mode) }
	if mode == 0 {
		set = func() error { return nil }
	}
	if err := set(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(s.dir, name+".json"))
}

// either writes in place in one of two ways.
func (s *shelf) either(name string, v any, dry bool) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	write := os.WriteFile
	if dry {
		write = func(string, []byte, os.FileMode) error { return nil }
	}
	return write(filepath.Join(s.dir, name+".json"), data, 0o600) // want `\(\*shelf\)\.either truncates s\.dir/name\.json before it is written`
}

var writers = map[string]func(string, []byte, os.FileMode) error{
	"file": os.WriteFile,
	"none": func(string, []byte, os.FileMode) error { return nil },
}

func (s *shelf) tabled(name, how string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writers[how](filepath.Join(s.dir, name+".json"), data, 0o600) // want `\(\*shelf\)\.tabled truncates s\.dir/name\.json before it is written`
}

var steps = []func(string, []byte, os.FileMode) error{os.WriteFile}

func (s *shelf) all(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if err := step(filepath.Join(s.dir, name+".json"), data, 0o600); err != nil { // want `\(\*shelf\)\.all truncates s\.dir/name\.json before it is written`
			return err
		}
	}
	return nil
}

var readers = map[string]func(string) ([]byte, error){"file": os.ReadFile}

func (s *shelf) peek(name, how string) ([]byte, error) {
	return readers[how](filepath.Join(s.dir, name+".json")) // ok: it only reads
}

// swap gives each of two variables the other's value.
func (s *shelf) swap(name string, v any, n int) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	this, other := os.WriteFile, func(string, []byte, os.FileMode) error { return nil }
	defer func() { clear([]func(string, []byte, os.FileMode) error{this, other}) }()
	for range n {
		this, other = other, this
	}
	return this(filepath.Join(s.dir, name+".json"), data, 0o600) // want `\(\*shelf\)\.swap truncates s\.dir/name\.json before it is written`
}
