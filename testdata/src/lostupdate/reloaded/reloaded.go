// Package reloaded shows a list at its start, and saves what it adds at its end, by a
// function that loads the list again.
package reloaded

import (
	"encoding/json"
	"os"
	"path/filepath"
)

type app struct {
	dir     string
	history []string
	own     int
}

func (a *app) load() error {
	data, err := os.ReadFile(filepath.Join(a.dir, "history.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &a.history); err != nil {
		return err
	}
	a.own = len(a.history)
	return nil
}

// save adds to what others have saved in the meantime: that is the one report.
func (a *app) save() error {
	own := append([]string(nil), a.history[a.own:]...)
	a.history = nil
	if err := a.load(); err != nil {
		return err
	}
	a.history = append(a.history, own...)
	data, err := json.Marshal(a.history)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.dir, "history.json"), data, 0o600) // want `save loads a\.dir/history\.json, changes it and saves it with no lock` `save truncates a\.dir/history\.json`
}

// Run loads the list as well, and what it saves is not made of that.
func Run(dir string) error {
	a := &app{dir: dir}
	if err := a.load(); err != nil {
		return err
	}
	a.history = append(a.history, "started")
	return a.save() // ok
}
