// Package sites knows the sites of a machine by their names.
package sites

import (
	"encoding/json"
	"errors"
	"os"
)

// A Site has its files in a directory of its own.
type Site struct {
	Dir     string
	Tunable bool
}

// Find looks a site up in the registry.
func Find(registry, name string) (*Site, error) {
	data, err := os.ReadFile(registry)
	if err != nil {
		return nil, err
	}
	var all map[string]*Site
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	if s := all[name]; s != nil {
		return s, nil
	}
	return nil, errors.New("no such site: " + name)
}

// A Manager asks a server for sites.
type Manager struct{ Ask func(name string) *Site }

// Get asks for a site.
func (m *Manager) Get(name string) *Site { return m.Ask(name) }

// An Order is a command line.
type Order struct{ File, Key string }

// Parse takes a command line apart.
func Parse(args []string) (*Order, error) {
	if len(args) < 2 {
		return nil, errors.New("usage: FILE KEY")
	}
	o := &Order{File: args[0]}
	for _, a := range args[1:] {
		o.Key += a
	}
	return o, nil
}
