// Package values hands on by value what names its file, and files by lists of them.
package values

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// A place is handed on by value.
type place struct{ Home, File string }

func load(p place) ([]string, error) {
	b, err := os.ReadFile(filepath.Join(p.Home, p.File))
	if err != nil {
		return nil, err
	}
	var list []string
	return list, json.Unmarshal(b, &list)
}

func save(p place, list []string) error {
	b, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return replace(filepath.Join(p.Home, p.File), b)
}

func add(p place, name string) error {
	list, err := load(p)
	if err != nil {
		return err
	}
	return save(p, append(list, name)) // want `add loads .*, changes it and saves it with no lock`
}

// copied is saved elsewhere: the name of the file is another.
func copied(p place, name string) error {
	list, err := load(p)
	if err != nil {
		return err
	}
	p.File = "copy.json"
	return save(p, append(list, name))
}

// An entry knows the file that it was loaded from.
type entry struct {
	From string `json:"-"`
	Text string
}

// resolve is the file that a name stands for.
func resolve(name string) string { return filepath.Join(os.Getenv("TOOL_STATE"), name, "state.json") }

// enter loads the entries of all files, and saves each to its own.
func enter(names []string, text string) error {
	byFile := map[string][]entry{}
	for _, name := range names {
		b, err := os.ReadFile(resolve(name))
		if err != nil {
			return err
		}
		var list []entry
		if err := json.Unmarshal(b, &list); err != nil {
			return err
		}
		byFile[name] = append(byFile[name], list...)
	}
	byFile[names[0]] = append(byFile[names[0]], entry{Text: text})
	for name, list := range byFile {
		b, err := json.Marshal(list)
		if err != nil {
			return err
		}
		if err := replace(resolve(name), b); err != nil { // want `enter loads .*, changes it and saves it with no lock`
			return err
		}
	}
	return nil
}
