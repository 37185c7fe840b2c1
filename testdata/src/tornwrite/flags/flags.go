// Package flags has helpers open its files, and tells them how.
package flags

import (
	"encoding/json"
	"os"
	"path/filepath"

	"tornwrite/flags/disk"
)

type store struct{ dir string }

func (s *store) open(name string, flags int) (*os.File, error) {
	return os.OpenFile(filepath.Join(s.dir, name), flags, 0o600)
}

func (s *store) load() (m map[string]int, err error) {
	f, err := s.open("sessions.json", os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return m, json.NewDecoder(f).Decode(&m)
}

func (s *store) save(m map[string]int) error {
	f, err := s.open("sessions.json", os.O_WRONLY|os.O_CREATE|os.O_TRUNC) // want `\(\*store\)\.save truncates s\.dir/sessions\.json before it is written`
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(m)
}

// put refuses where there is one.
func (s *store) put(m map[string]int) error {
	f, err := s.open("sessions.json", os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(m)
}

func (s *store) saveIndex(m map[string]int) error {
	f, err := disk.Open(filepath.Join(s.dir, "index.json"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC) // want `\(\*store\)\.saveIndex rewrites s\.dir/index\.json in place through disk\.Open\(\)`
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(m)
}

// note only adds to what is there.
func (s *store) note(m map[string]int) error {
	f, err := disk.Open(filepath.Join(s.dir, "journal.json"), os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(m)
}
