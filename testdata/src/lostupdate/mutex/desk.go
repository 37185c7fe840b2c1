package mutex

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
)

// members is what a desk knows of a roster.
type members interface {
	enlist(name string) error
	dismiss(name string) error
}

type desk struct{ list members }

// enlist has no mutex where it calls what takes one before the lock.
func (d *desk) enlist(name string) error { return d.list.enlist(name) }

func (d *desk) dismiss(name string) error { return d.list.dismiss(name) }

// A roster stands in the user's home.
type roster struct {
	path string
	mu   sync.Mutex
}

func newRoster() (*roster, error) {
	home, err := os.UserHomeDir()
	return &roster{path: filepath.Join(home, ".agent", "roster.json")}, err
}

func (r *roster) load() (map[string]bool, error) {
	entries := map[string]bool{}
	data, err := os.ReadFile(r.path)
	if err != nil {
		return nil, err
	}
	return entries, json.Unmarshal(data, &entries)
}

func (r *roster) save(entries map[string]bool) error {
	data, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	return replace(r.path, data)
}

func (r *roster) enlist(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	entries, err := r.load()
	if err != nil {
		return err
	}
	entries[name] = true
	return r.save(entries) // want `\(\*roster\).enlist loads r.path, changes it and saves it under a mutex of this process alone`
}

func (r *roster) dismiss(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	entries, err := r.load()
	if err != nil {
		return err
	}
	delete(entries, name)
	return r.save(entries) // want `\(\*roster\).dismiss loads r.path, changes it and saves it under a mutex of this process alone`
}
