package quiet

import (
	"os"
	"path/filepath"
	"sync"
)

// A clerk tells of all that happens, whether under the mutex or not.
type clerk struct {
	mu    sync.Mutex
	dir   string
	files int
}

func (c *clerk) tell(event string) {
	f, err := os.OpenFile(filepath.Join(c.dir, "events.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.WriteString(event + "\n")
}

// File tells of it under the mutex.
func (c *clerk) File() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files++
	c.tell("filed")
}

// Burn tells before it has the mutex, and when it has released it.
func (c *clerk) Burn() {
	c.tell("start")
	defer c.tell("end")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files--
}
