package inplace

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// bin is a directory that is emptied whatever stands in it: who does that would take a temporary
// file for nothing of its own.
type bin string

func (b bin) clear() error {
	entries, err := os.ReadDir(string(b))
	if err != nil {
		return err
	}
	for _, e := range entries {
		os.RemoveAll(filepath.Join(string(b), e.Name()))
	}
	return nil
}

func (b bin) putConfig(name string, config any) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(string(b), name), data, 0o600) // want `\(bin\)\.putConfig truncates b/name`
}

// cellar is a directory of which only what is not known is removed: a temporary file is not.
type cellar string

func (c cellar) prune(known map[string]bool) error {
	entries, err := os.ReadDir(string(c))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); !known[name] {
			os.RemoveAll(filepath.Join(string(c), name))
		}
	}
	return nil
}

func (c cellar) putConfig(name string, config any) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(string(c), name), data, 0o600) // want `\(cellar\)\.putConfig truncates c/name .* \(no fix: \(cellar\)\.prune lists the directory`
}
