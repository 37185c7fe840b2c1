package stale

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// onDisk is the file of a keyring, which is no keyring itself.
type onDisk struct {
	Keys map[string]string `json:"keys"`
}

// A keyring holds what was decoded into another type.
type keyring struct {
	path string
	keys map[string]string
}

func openKeyring(dir string) (*keyring, error) {
	k := &keyring{path: filepath.Join(dir, "keyring.json"), keys: map[string]string{}}
	data, err := os.ReadFile(k.path)
	if err != nil {
		return nil, err
	}
	var usual, file onDisk
	for _, text := range []string{`{}`, `{"keys": {}}`} {
		if err := json.Unmarshal([]byte(text), &usual); err != nil {
			return nil, err
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	for name, value := range usual.Keys {
		k.keys[name] = value
	}
	for name, value := range file.Keys {
		k.keys[name] = value
	}
	return k, nil
}

func (k *keyring) set(name, value string) error {
	return withLock(k.path, func() error {
		k.keys[name] = value
		return k.save() // want `\(\*keyring\).set takes the lock of the keyring k, and saves it as it was loaded before that`
	})
}

func (k *keyring) save() error {
	data, err := json.Marshal(onDisk{Keys: k.keys})
	if err != nil {
		return err
	}
	return replace(k.path, data)
}

// A session holds nothing of its own file: what is decoded is another one.
type session struct {
	path  string
	theme string
	seen  map[string]string
}

func openSession(dir string) (*session, error) {
	s := &session{path: filepath.Join(dir, "session.json"), seen: map[string]string{}}
	data, err := os.ReadFile(filepath.Join(dir, "theme.json"))
	if err != nil {
		return nil, err
	}
	var file struct{ Name string }
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	s.theme = file.Name
	return s, nil
}

func (s *session) see(name string) error {
	return withLock(s.path, func() error {
		s.seen[name] = s.theme
		data, err := json.Marshal(s.seen)
		if err != nil {
			return err
		}
		return replace(s.path, data) // ok: nobody has loaded it
	})
}
