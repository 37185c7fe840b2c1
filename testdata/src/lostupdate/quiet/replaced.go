package quiet

import (
	"encoding/json"
	"os"

	"github.com/lockvet/lockvet/safeio"
)

// A feed keeps what it was given last, and nothing of what it was given before.
type feed struct {
	path string
	data struct{ Entries []string }
	read bool
}

// Entries loads the file where it has not been loaded yet.
func (f *feed) Entries() ([]string, error) {
	if !f.read {
		if err := f.load(); err != nil {
			return nil, err
		}
	}
	return f.data.Entries, nil
}

func (f *feed) load() error {
	data, err := os.ReadFile(f.path)
	if err != nil {
		return err
	}
	f.read = true
	return json.Unmarshal(data, &f.data)
}

func (f *feed) Put(entries []string) error {
	f.data.Entries = entries
	return f.save()
}

func (f *feed) save() error {
	data, err := json.Marshal(&f.data)
	if err != nil {
		return err
	}
	return safeio.WriteFile(f.path, data, 0o600)
}
