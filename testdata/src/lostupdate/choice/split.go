package choice

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/lockvet/lockvet/safeio"
)

// A shelf keeps everything in one file, or each kind in a file of its own.
type shelf struct {
	dir   string
	whole string // the one file, empty for one of each kind
}

func (s *shelf) pathFor(kind string) string {
	if s.whole == "" {
		return filepath.Join(s.dir, kind+".json")
	}
	return s.whole
}

func (s *shelf) load(path string) (*settings, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return &settings{Keys: map[string]string{}}, nil
	} else if err != nil {
		return nil, err
	}
	var got settings
	if err := json.Unmarshal(data, &got); err != nil {
		return nil, err
	}
	return &got, nil
}

func (s *shelf) store(path string, what *settings) error {
	data, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return safeio.WriteFile(path, data, 0o600)
}

// save stores what was loaded in the file that it came from, whichever that is.
func (s *shelf) save(kind string, what *settings) error {
	if s.whole == "" {
		return s.store(filepath.Join(s.dir, kind+".json"), what)
	}
	return s.store(s.whole, what)
}

func (s *shelf) set(kind, key, value string) error {
	got, err := s.load(s.pathFor(kind))
	if err != nil {
		return err
	}
	got.Keys[key] = value
	return s.save(kind, got) // want `\(\*shelf\).set loads .* changes it and saves it with no lock`
}

// export saves one of the files under another name, and none of those that may have been read.
func (s *shelf) export(kind, to string) error {
	got, err := s.load(s.pathFor(kind))
	if err != nil {
		return err
	}
	got.Keys["exported"] = "yes"
	return s.store(filepath.Join(s.dir, to), got) // ok: nothing was there that was loaded
}

// collect saves the one file, although what was read may have been another.
func (s *shelf) collect(kind string) error {
	got, err := s.load(s.pathFor(kind))
	if err != nil {
		return err
	}
	got.Keys["kind"] = kind
	return s.store(s.whole, got) // ok: the other one is never saved
}
