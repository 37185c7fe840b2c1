// Package owned has objects that keep a lock between processes as long as they
// live.
package owned

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"tornwrite/owned/dirlock"
)

// A Depot is made by Open only, which has the lock of its directory.
type Depot struct {
	dir  string
	lock io.Closer
}

func Open(dir string) (*Depot, error) {
	d := newDepot(dir)
	var err error
	if d.lock, err = dirlock.Take(d.dir); err != nil {
		return nil, err
	}
	return d, nil
}

func newDepot(dir string) *Depot { return &Depot{dir: dir} }

func (d *Depot) Close() error { return d.lock.Close() }

var _ io.Closer = &Depot{}

// SaveIndex shares the temporary name with nobody.
func (d *Depot) SaveIndex(data []byte) error {
	tmp := filepath.Join(d.dir, "index.tmp")
	f, err := os.Create(tmp)
	if err != nil {
		return err
	}
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
	return os.Rename(tmp, filepath.Join(d.dir, "index.json"))
}

// SaveState has the name for itself, but a power cut needs no second process.
func (d *Depot) SaveState(data []byte) error {
	tmp := filepath.Join(d.dir, "state.tmp")
	f, err := os.Create(tmp) // want `\(\*Depot\)\.SaveState renames a file over d\.dir/state\.json that was never synced`
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(d.dir, "state.json"))
}

// Collect shares the directory with nobody.
func (d *Depot) Collect(name string) error {
	stage := filepath.Join(d.dir, "incoming")
	if err := os.MkdirAll(stage, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	return os.Rename(filepath.Join(stage, name), filepath.Join(d.dir, name))
}

// Truncate is met by readers, who need no lock.
func (d *Depot) Truncate(data []byte) error {
	return os.WriteFile(filepath.Join(d.dir, "state.json"), data, 0o600) // want `\(\*Depot\)\.Truncate truncates d\.dir/state\.json before it is written: a crash or a reader in between`
}

// Index is what SaveIndex has saved, and State what SaveState has.
func (d *Depot) Index() (list []string, err error) {
	return list, load(filepath.Join(d.dir, "index.json"), &list)
}

func (d *Depot) State() (list []string, err error) {
	return list, load(filepath.Join(d.dir, "state.json"), &list)
}

func load(path string, to any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
}

// save is called from outside of the object.
func save(d *Depot, data []byte) error { return d.SaveIndex(data) }

// A shed may be made without the lock.
type shed struct {
	dir  string
	lock io.Closer
}

func openShed(dir string) (*shed, error) {
	lock, err := dirlock.Take(dir)
	if err != nil {
		return nil, err
	}
	return &shed{dir: dir, lock: lock}, nil
}

func peek(dir string) *shed { return &shed{dir: dir} }

// Reset does so.
func Reset(dir string) error { return peek(dir).saveState(nil) }

func (s *shed) state() (list []string, err error) {
	return list, load(filepath.Join(s.dir, "state.json"), &list)
}

func (s *shed) saveState(data []byte) error {
	tmp := filepath.Join(s.dir, "state.tmp")
	f, err := os.Create(tmp) // want `\(\*shed\)\.saveState writes s\.dir/state\.json through s\.dir/state\.tmp, a name that every writer shares`
	if err != nil {
		return err
	}
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
	return os.Rename(tmp, filepath.Join(s.dir, "state.json"))
}
