// Package meeting makes a temporary file in one function and renames it in
// another. The report stands where the two come together, once, however many
// functions lead there.
package meeting

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type shelf struct{ dir string }

func (s *shelf) addBook(v any) error { return s.publish("books.json", v) }

func (s *shelf) addLoan(v any) error {
	go func() { _ = s.publish("audit.json", v) }()
	return s.publish("loans.json", v)
}

func (s *shelf) publish(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return replace(filepath.Join(s.dir, name), data)
}

func replace(path string, data []byte) error {
	tmp, err := draft(path, data)
	if err != nil {
		return err
	}
	return os.Rename(tmp, path) // want `replace renames a file over s\.dir/name that was never synced`
}

func draft(path string, data []byte) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "draft-*")
	if err != nil {
		return "", err
	}
	if _, err := f.Write(data); err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

func (s *shelf) loans() (v []string, err error) {
	data, err := os.ReadFile(filepath.Join(s.dir, "loans.json"))
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	return v, err
}
