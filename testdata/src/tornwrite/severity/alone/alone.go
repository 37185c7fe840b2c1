// Package alone saves by one goroutine at a time, or by several.
package alone

import (
	"encoding/json"
	"net/http"
	"os"
	"sync"
)

type box struct {
	path  string
	mu    sync.Mutex
	Items map[string]string
}

func (b *box) load() error {
	data, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, b)
}

// ServeHTTP has the mutex for as long as it saves.
func (b *box) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Items[r.URL.Path] = r.Method
	data, err := json.Marshal(b)
	if err != nil {
		return
	}
	tmp := b.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { /* warning */ // want `ServeHTTP writes b.path through b.path.tmp`
		return
	}
	if err := os.Rename(tmp, b.path); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

type crate struct {
	path  string
	Items map[string]string
}

func (c *crate) load() error {
	data, err := os.ReadFile(c.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, c)
}

// ServeHTTP saves with all who are served at the same time.
func (c *crate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := json.Marshal(c)
	if err != nil {
		return
	}
	tmp := c.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { /* error */ // want `ServeHTTP writes c.path through c.path.tmp`
		return
	}
	if err := os.Rename(tmp, c.path); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

var _, _ = (*box).load, (*crate).load
