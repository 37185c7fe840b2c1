// Package gaps holds what the check does not see yet. A line that begins to be
// reported belongs into a package of its own.
package gaps

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type basket struct {
	path  string
	Items []string
}

func newBasket(dir string) *basket {
	return &basket{path: filepath.Join(dir, "basket.json")}
}

func (s *basket) put(item string) error {
	s.Items = append(s.Items, item)
	b, err := json.Marshal(s.Items)
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, b, 0o644) // ok: two places name the file, and a field with two values is not followed to them
}

func (s *basket) pour(b []byte) error {
	return os.WriteFile(s.path, b, 0o644) // ok: the literal in empty is not followed into a method
}

func empty(dir string) error {
	s := &basket{path: filepath.Join(dir, "emptied.json")}
	b, err := json.Marshal(s.Items)
	if err != nil {
		return err
	}
	return s.pour(b)
}
