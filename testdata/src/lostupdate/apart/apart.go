// Package apart copies files between objects that one function makes, and saves one by the object that
// loaded it.
package apart

import (
	"encoding/json"
	"net/url"
	"os"
)

type client struct{ where *url.URL }

func newClient(at string) (*client, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	return &client{where: u}, nil
}

func (c *client) get() ([]byte, error) { return os.ReadFile(c.where.Path) }

func (c *client) put(data []byte) error { return replace(c.where.Path, data) }

func getFrom(at string) ([]byte, error) {
	c, err := newClient(at)
	if err != nil {
		return nil, err
	}
	return c.get()
}

// copyTo gets from one object and puts to another.
func copyTo(from, to string) error {
	data, err := getFrom(from)
	if err != nil {
		return err
	}
	c, err := newClient(to)
	if err != nil {
		return err
	}
	return c.put(append(data, '\n'))
}

type store struct {
	where *url.URL
	Keys  map[string]string
}

func openStore(at string) (*store, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	s := &store{where: u}
	data, err := os.ReadFile(s.where.Path)
	if err != nil {
		return nil, err
	}
	return s, json.Unmarshal(data, &s.Keys)
}

func (s *store) save() error {
	data, err := json.Marshal(s.Keys)
	if err != nil {
		return err
	}
	return replace(s.where.Path, data)
}

// set saves by the object that has loaded the file.
func set(at, key, value string) error {
	s, err := openStore(at)
	if err != nil {
		return err
	}
	s.Keys[key] = value
	return s.save() // want `set loads .*, changes it and saves it with no lock`
}

var home = &store{where: must(url.Parse("file:///var/lib/app/home.json"))}

func must(u *url.URL, err error) *url.URL { return u }

func loadHome() (map[string]string, error) {
	keys := map[string]string{}
	data, err := os.ReadFile(home.where.Path)
	if err != nil {
		return nil, err
	}
	return keys, json.Unmarshal(data, &keys)
}

func saveHome(keys map[string]string) error {
	data, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	return replace(home.where.Path, data)
}

// setHome loads and saves by one that the package makes at its start.
func setHome(key, value string) error {
	keys, err := loadHome()
	if err != nil {
		return err
	}
	keys[key] = value
	return saveHome(keys) // want `setHome loads apart\.home\.where\.Path, changes it and saves it with no lock`
}
