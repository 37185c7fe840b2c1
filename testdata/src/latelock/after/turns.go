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
		s.line = line // want `\(\*switchboard\)\.learn changes s\.line after it has let go of s\.mu`
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
