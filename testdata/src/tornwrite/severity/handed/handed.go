// Package handed writes what others have.
package handed

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// A Session is restored from a checkpoint.
type Session struct {
	File string
	Raw  []byte
}

// LoadSession decodes a session.
func LoadSession(file string) (*Session, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	return &Session{file, raw}, nil
}

// SaveSession writes what its caller has.
func SaveSession(s *Session) error {
	return os.WriteFile(s.File, s.Raw, 0o600) /* warning */ // want `SaveSession truncates`
}

// SaveNotes names the file itself.
func SaveNotes(dir string, notes []byte) error {
	return os.WriteFile(filepath.Join(dir, "notes.json"), notes, 0o600) /* error */ // want `SaveNotes truncates`
}

// LoadNotes reads them back.
func LoadNotes(dir string) (v any, err error) {
	notes, err := os.ReadFile(filepath.Join(dir, "notes.json"))
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(notes, &v)
}

// An Account is changed here.
type Account struct{ Token string }

// LoadAccount decodes an account.
func LoadAccount(dir string) (a Account, err error) {
	b, err := os.ReadFile(filepath.Join(dir, "account.json"))
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(b, &a)
}

// SaveAccount encodes it, and has the only copy.
func SaveAccount(dir string, a Account) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, "account.json"), b)
}

func write(path string, b []byte) error {
	return os.WriteFile(path, b, 0o600) /* error */ // want `write truncates`
}
