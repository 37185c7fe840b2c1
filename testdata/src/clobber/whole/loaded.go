package whole

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
)

type bindings struct {
	path string
	byID map[string]string
}

func newBindings(dir string) *bindings {
	b := &bindings{path: filepath.Join(dir, "bindings.json"), byID: map[string]string{}}
	b.load()
	return b
}

// load is followed by saves that replace the file whole: only somebody else can spoil it.
func (b *bindings) load() {
	data, err := os.ReadFile(b.path)
	if err != nil {
		return
	}
	if err := json.Unmarshal(data, &b.byID); err != nil /* warning */ { // want `\(\*bindings\)\.load takes a file that cannot be decoded for an empty one, and \(\*bindings\)\.bind saves that over b\.path: one bad edit`
		log.Print(err)
	}
}

func (b *bindings) bind(id, to string) error {
	b.byID[id] = to
	data, err := json.Marshal(b.byID)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(b.path), ".bindings-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), b.path)
}
