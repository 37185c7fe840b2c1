// Two functions hand a link on to each other, and both look into one cache.
package ring

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
)

type Link struct {
	ID, Parent string
	Key        *Key
}

type Key struct{ Text string }

type entry struct {
	link *Link
	key  *Key
}

type Drive struct {
	mu      sync.RWMutex
	entries map[string]*entry
	dir     string
	root    *Key
	caching bool
}

func (d *Drive) get(id string) *entry {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.entries[id]
}

func (d *Drive) insert(id string, l *Link, k *Key) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries[id] = &entry{l, k}
}

func (d *Drive) load(id string) (*Link, error) {
	if e := d.get(id); e != nil {
		return e.link, nil
	}
	b, err := os.ReadFile(filepath.Join(d.dir, id+".json"))
	if err != nil {
		return nil, err
	}
	l := new(Link)
	if err := json.Unmarshal(b, l); err != nil {
		return nil, err
	}
	d.insert(id, l, nil)
	return l, nil
}

func (d *Drive) direct(l *Link) (*Key, error) {
	if l.Parent == "" {
		return d.root, nil
	}
	above, err := d.load(l.Parent)
	if err != nil {
		return nil, err
	}
	return d.direct(above)
}

func (d *Drive) key(l *Link) (*Key, error) {
	if !d.caching {
		return d.direct(l)
	}
	if l == nil {
		return nil, errors.New("no link")
	}
	if e := d.get(l.ID); e != nil && e.link != nil {
		if e.key != nil {
			return e.key, nil
		}
		above, err := d.keyByID(e.link.Parent)
		if err != nil {
			return nil, err
		}
		e.key = above
		return e.key, nil
	}
	d.insert(l.ID, l, nil)
	return d.key(l)
}

func (d *Drive) keyByID(id string) (*Key, error) {
	if id == "" {
		return d.root, nil
	}
	if e := d.get(id); e != nil && e.link != nil {
		return d.key(e.link)
	}
	l, err := d.load(id)
	if err != nil {
		return nil, err
	}
	return d.key(l)
}
