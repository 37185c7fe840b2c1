package after

import (
	"os"
	"sync"
)

// A switchboard has two goroutines that come to its lock, besides the one that
// changes something behind the unlock.
type switchboard struct {
	path string

	mu   sync.Mutex
	line string
}

func startBoard(path string) *switchboard {
	s := &switchboard{path: path}
	go s.listen()
	go s.save()
	go s.show()
	return s
}

func (s *switchboard) listen() {
	for range 10 {
		s.learn("line")
	}
}

func (s *switchboard) learn(line string) {
	s.mu.Lock()
	known := s.line != ""
	s.mu.Unlock()
	if !known {
		s.line = line // want `\(\*switchboard\)\.learn changes s\.line after it has released s\.mu`
	}
}

func (s *switchboard) save() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = os.WriteFile(s.path, []byte("line "+s.line), 0o600)
}

func (s *switchboard) show() {
	s.mu.Lock()
	defer s.mu.Unlock()
	println(s.line)
}

// A crew has more than one goroutine of a kind.
type crew struct {
	path string

	mu   sync.Mutex
	line string
}

func startCrew(path string) *crew {
	c := &crew{path: path}
	for range 3 {
		go c.work()
	}
	return c
}

func (c *crew) work() {
	c.learn("line")
	c.save()
	c.show()
}

func (c *crew) learn(line string) {
	c.mu.Lock()
	known := c.line != ""
	c.mu.Unlock()
	if !known {
		c.line = line // want `\(\*crew\)\.learn changes c\.line after it has released c\.mu`
	}
}

func (c *crew) save() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = os.WriteFile(c.path, []byte("line "+c.line), 0o600)
}

func (c *crew) show() {
	c.mu.Lock()
	defer c.mu.Unlock()
	println(c.line)
}
