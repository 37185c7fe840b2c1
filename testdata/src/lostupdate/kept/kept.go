// Package kept has objects that are loaded when they are made, and saved when they
// have changed.
package kept

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
)

// A catalog is loaded when it is made, in a place that every process of the user
// finds.
type catalog struct {
	dir  string
	list struct {
		Items map[string]string `json:"items"`
	}
}

func newCatalog(dir string) (*catalog, error) {
	c := &catalog{dir: dir}
	c.list.Items = map[string]string{}
	return c, c.load()
}

func usersCatalog() (*catalog, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	return newCatalog(filepath.Join(home, ".config", "tool"))
}

func (c *catalog) file() string { return filepath.Join(c.dir, "extensions", "extensions.json") }

func (c *catalog) load() error {
	data, err := os.ReadFile(c.file())
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &c.list)
}

func (c *catalog) save() error {
	data, err := json.Marshal(c.list)
	if err != nil {
		return err
	}
	return replace(c.file(), data)
}

func (c *catalog) add(name, path string) error {
	c.list.Items[name] = path
	return c.save() // want `\(\*catalog\).add changes the catalog c and saves it as it was loaded when it was made: what another process has saved since is lost`
}

func (c *catalog) remove(name string) error {
	delete(c.list.Items, name)
	return c.save() // want `\(\*catalog\).remove changes the catalog c and saves it as it was loaded when it was made`
}

// addAll is told of where each is added.
func (c *catalog) addAll(paths map[string]string) error {
	for name, path := range paths {
		if err := c.add(name, path); err != nil {
			return err
		}
	}
	return nil
}

// A register is loaded where it is changed.
type register struct {
	path  string
	names []string
}

func openRegister() (*register, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	r := &register{path: filepath.Join(home, "register-state.json")}
	data, err := os.ReadFile(r.path)
	if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(data, &r.names)
}

// Put is called with what has just been loaded, as far as can be seen here.
func (r *register) Put(name string) error {
	r.names = append(r.names, name)
	data, err := json.Marshal(r.names)
	if err != nil {
		return err
	}
	return replace(r.path, data)
}

func Enroll(name string) error {
	r, err := openRegister()
	if err != nil {
		return err
	}
	return r.Put(name) // want `Enroll loads path, changes it and saves it with no lock`
}

// A pool is one for all goroutines of a server, which its mutex says.
type pool struct {
	mu    sync.Mutex
	path  string
	names map[string]bool
}

func newPool() (*pool, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	p := &pool{path: filepath.Join(home, "pool-state.json"), names: map[string]bool{}}
	data, err := os.ReadFile(p.path)
	if err != nil {
		return nil, err
	}
	return p, json.Unmarshal(data, &p.names)
}

func (p *pool) take(name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names[name] = true
	data, err := json.Marshal(p.names)
	if err != nil {
		return err
	}
	return replace(p.path, data)
}

// A table stands where its owner says: who else has that, nobody knows.
type table struct {
	path string
	rows map[string]int
}

func newTable(path string) (*table, error) {
	t := &table{path: path, rows: map[string]int{}}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return t, json.Unmarshal(data, &t.rows)
}

func (t *table) count(name string) error {
	t.rows[name]++
	data, err := json.Marshal(t.rows)
	if err != nil {
		return err
	}
	return replace(t.path, data)
}

// A TokenStore is opened by others, who say where it stands.
type TokenStore interface {
	Save(key, token string) error
	Delete(key string) error
}

type jsonStore struct {
	filename string
	Tokens   map[string]string
	Client   string
}

// OpenStore loads it once.
func OpenStore(filename string) (TokenStore, error) {
	s := jsonStore{filename: filename, Tokens: map[string]string{}}
	data, err := os.ReadFile(filename)
	if err != nil {
		return &s, err
	}
	return &s, json.Unmarshal(data, &s)
}

// save is the one that is told of: the others save by it.
func (s *jsonStore) save() error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(s.filename, data) /* warning */ // want `\(\*jsonStore\).save saves the jsonStore s as it was loaded when it was made, for 3 methods that change it: what another process has saved since is lost`
}

func (s *jsonStore) Save(key, token string) error {
	s.Tokens[key] = token
	return s.save()
}

func (s *jsonStore) Delete(key string) error {
	delete(s.Tokens, key)
	return s.save()
}

// AutoMigrate is first by name.
func (s *jsonStore) AutoMigrate(client string) error {
	s.Client = client
	return s.save()
}
