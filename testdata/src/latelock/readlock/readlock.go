package readlock

import (
	"encoding/json"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

type catalogue struct {
	path string
	mu   sync.RWMutex
	hits map[string]int
	last string
}

// find counts under the lock for readers.
func (c *catalogue) find(name string) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.hits[name]++ // want `\(\*catalogue\).find changes c.hits while it holds only the read lock of c.mu`
	return c.hits[name]
}

// recent leaves the change to a helper.
func (c *catalogue) recent(name string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.remember(name) // want `\(\*catalogue\).recent changes c.last while it holds only the read lock of c.mu.* in a function that it calls`
	return c.last
}

func (c *catalogue) remember(name string) { c.last = name }

func (c *catalogue) forget(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.hits, name)
	c.last = ""
	return c.save()
}

func (c *catalogue) merge(hits map[string]int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, n := range hits {
		c.hits[name] += n
		c.remember(name)
	}
	return c.save()
}

func (c *catalogue) save() error {
	data, err := json.Marshal(c.hits)
	if err != nil {
		return err
	}
	return safeio.WriteFile(c.path, data, 0o600)
}
