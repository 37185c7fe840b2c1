package stale

import (
	"encoding/json"
	"os"

	"github.com/lockvet/lockvet/safeio"
)

// A wire keeps what it was given last, where that was anything.
type wire struct {
	path string
	data struct{ Entries []string }
	read bool
}

// Entries loads the file where it has not been loaded yet.
func (f *wire) Entries() ([]string, error) {
	if !f.read {
		if err := f.load(); err != nil {
			return nil, err
		}
	}
	return f.data.Entries, nil
}

func (f *wire) load() error {
	data, err := os.ReadFile(f.path)
	if err != nil {
		return err
	}
	f.read = true
	return json.Unmarshal(data, &f.data)
}

func (f *wire) Put(entries []string) error {
	if len(entries) > 0 {
		f.data.Entries = entries
	}
	return f.save() // want `\(\*wire\).Put saves the wire f as it was loaded`
}

func (f *wire) save() error {
	data, err := json.Marshal(&f.data)
	if err != nil {
		return err
	}
	return safeio.WriteFile(f.path, data, 0o600)
}
