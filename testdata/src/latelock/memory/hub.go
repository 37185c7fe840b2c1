package memory

import (
	"os"
	"sync"
)

// A Hub has what its users leave behind.
type Hub struct {
	mu      sync.Mutex
	leaving []func()
	dir     string
}

// Stop takes what is there under the lock, and goes through it without: the load of an element
// in the loop has no place of its own.
func (h *Hub) Stop() {
	h.mu.Lock()
	leaving := h.leaving
	h.leaving = nil
	h.dir = ""
	h.mu.Unlock()
	for _, leave := range leaving {
		if leave != nil {
			leave()
		}
	}
}

// Join enters one.
func (h *Hub) Join(leave func()) {
	h.mu.Lock()
	h.leaving = append(h.leaving, leave)
	h.mu.Unlock()
	go leave()
}

// Both enters two.
func (h *Hub) Both(one, two func()) {
	h.mu.Lock()
	h.leaving = append(h.leaving, one, two)
	h.mu.Unlock()
	go one()
}

// Watch enters one, too.
func (h *Hub) Watch(leave func()) {
	h.mu.Lock()
	h.leaving = append(h.leaving, leave)
	h.mu.Unlock()
	go leave()
}

// Save writes none of them.
func (h *Hub) Save() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return os.WriteFile(h.dir, []byte("x"), 0o600)
}
