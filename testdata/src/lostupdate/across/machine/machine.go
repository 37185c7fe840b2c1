// Package machine has an object for each file, which loads and saves itself.
package machine

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// A Path is what a machine is kept in.
type Path struct{ name string }

func (p *Path) Get() string { return p.name }

func (p *Path) Read() ([]byte, error) { return os.ReadFile(p.Get()) }

// A Config is all that is known of a machine.
type Config struct {
	Name     string
	Starting bool
	CPUs     int

	path *Path
	lock *flock.Flock
}

// Load finds a machine by its name.
func Load(name, dir string) (*Config, error) {
	path := &Path{filepath.Join(dir, name+".json")}
	c, err := loadFrom(path)
	if err != nil {
		return nil, err
	}
	c.path = path
	return c, nil
}

func loadFrom(path *Path) (*Config, error) {
	c := new(Config)
	data, err := path.Read()
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, err
	}
	c.lock = flock.New(filepath.Join(filepath.Dir(path.Get()), c.Name+".lock"))
	return c, nil
}

func (c *Config) Lock() error { return c.lock.Lock() }

func (c *Config) Unlock() { c.lock.Unlock() }

// Refresh loads it again.
func (c *Config) Refresh() error {
	data, err := os.ReadFile(c.path.Get())
	if err != nil {
		return err
	}
	return json.Unmarshal(data, c)
}

// Write is for those who have the lock.
func (c *Config) Write() error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(c.path.Get()), ".machine-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Sync(); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), c.path.Get())
}
