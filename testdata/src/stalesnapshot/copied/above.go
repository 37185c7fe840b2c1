package copied

import (
	"encoding/json"
	"maps"
	"os"
	"sync"
)

// A ring is written by a function whose name says nothing of that.
type ring struct {
	mu    sync.Mutex
	path  string
	items map[string]string
}

func (r *ring) load() error {
	data, err := os.ReadFile(r.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &r.items)
}

func (r *ring) Push(key, value string) error {
	r.mu.Lock()
	r.items[key] = value
	r.mu.Unlock()
	return r.out()
}

func (r *ring) out() error {
	r.mu.Lock()
	items := maps.Clone(r.items)
	r.mu.Unlock()
	data, err := json.Marshal(items)
	if err != nil {
		return err
	}
	return replace(r.path, data) // want `out copies`
}
