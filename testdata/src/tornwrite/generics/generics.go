// Package generics writes values of any type.
package generics

import (
	"encoding/json"
	"os"
)

type store[T any] struct {
	path  string
	value T
}

func (s *store[T]) save() error {
	b, err := json.Marshal(s.value)
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, b, 0o600) // want `\(\*store\)\.save truncates s\.path`
}

func saveAs[T any](path string, v T) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600) // want `saveAs truncates /etc/agentd/conf\.json`
}

func keep() error {
	return saveAs("/etc/agentd/conf.json", map[string]int{"a": 1})
}
