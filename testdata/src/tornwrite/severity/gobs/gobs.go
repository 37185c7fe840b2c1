// Package gobs keeps what it has fetched as gob.
package gobs

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"os"
)

type listing struct{ Names []string }

type storage struct {
	path string
	data listing
}

func (s *storage) load() error {
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	return gob.NewDecoder(f).Decode(&s.data)
}

func (s *storage) save() error {
	f, err := os.Create(s.path) /* warning */ // want `save truncates`
	if err != nil {
		return err
	}
	defer f.Close()
	return gob.NewEncoder(f).Encode(s.data)
}

func (s *storage) saveBuffered() error {
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(s.data); err != nil {
		return err
	}
	return os.WriteFile(s.path, buf.Bytes(), 0o600) /* warning */ // want `saveBuffered truncates`
}

// A session is somebody's, however it is encoded.
type session struct{ Token string }

func (s *session) load(dir string) error {
	f, err := os.Open(dir + "/credentials")
	if err != nil {
		return err
	}
	defer f.Close()
	return gob.NewDecoder(f).Decode(s)
}

func (s *session) save(dir string) error {
	f, err := os.Create(dir + "/credentials") // want `save truncates`
	if err != nil {
		return err
	}
	defer f.Close()
	return gob.NewEncoder(f).Encode(s)
}

// What is encoded otherwise is an error.
func (s *storage) loadNames() error {
	data, err := os.ReadFile(s.path + ".json")
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &s.data)
}

func (s *storage) saveNames() error {
	data, err := json.Marshal(s.data)
	if err != nil {
		return err
	}
	return os.WriteFile(s.path+".json", data, 0o600) // want `saveNames truncates`
}
