// Package double has functions that look two times, in a package without files.
package double

import "sync"

type throttle struct{ n int }

type host struct {
	limit    int
	throttle *throttle
}

var mu sync.Mutex

// Throttle uses what it has seen without the lock.
func (h *host) Throttle() *throttle {
	if h.limit <= 0 {
		return nil
	}
	if h.throttle == nil { // want `\(\*host\).Throttle looks at h.throttle without mu, under which it is assigned to, and uses what it sees`
		mu.Lock()
		defer mu.Unlock()
		if h.throttle == nil {
			h.throttle = &throttle{h.limit}
		}
	}
	return h.throttle
}

type cache struct {
	mu    sync.RWMutex
	names map[string]int
	ready bool
}

// Names leaves early with what it has seen.
func (c *cache) Names() map[string]int {
	if c.names != nil { // want `\(\*cache\).Names looks at c.names without c.mu`
		return c.names
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names == nil {
		c.names = map[string]int{"one": 1}
	}
	return c.names
}

// Warm uses nothing of it without the lock.
func (c *cache) Warm() {
	if c.names != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names == nil {
		c.names = map[string]int{"one": 1}
	}
}

// Locked has the lock from the beginning.
func (c *cache) Locked() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names == nil {
		c.names = map[string]int{"one": 1}
	}
	return c.names
}

// Reread takes the lock again for what it uses.
func (c *cache) Reread() int {
	if c.names == nil {
		c.mu.Lock()
		if c.names == nil {
			c.names = map[string]int{"one": 1}
		}
		c.mu.Unlock()
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.names)
}

// Read looks under the lock of readers first.
func (c *cache) Read() map[string]int {
	c.mu.RLock()
	names := c.names
	c.mu.RUnlock()
	if names != nil {
		return names
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names == nil {
		c.names = map[string]int{"one": 1}
	}
	return c.names
}

// Under has another lock.
func (c *cache) Under(o *sync.Mutex) map[string]int {
	o.Lock()
	defer o.Unlock()
	if c.names == nil {
		c.mu.Lock()
		if c.names == nil {
			c.names = map[string]int{"one": 1}
		}
		c.mu.Unlock()
	}
	return c.names
}
