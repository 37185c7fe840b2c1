package quiet

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

var where = flag.String("dir", ".", "the directory of the state")

func chosenFile() string { return filepath.Join(*where, "chosen-state.json") }

func (s *Store) loadChosen() error {
	data, err := os.ReadFile(chosenFile())
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &s.items)
}

// SetChosen writes where the user says.
func (s *Store) SetChosen(key, value string) error {
	s.mu.Lock()
	s.items[key] = value
	data, err := json.Marshal(s.items)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return replace(chosenFile(), data) // ok
}

// A Pair has one file or another.
type Pair struct {
	mu         sync.Mutex
	path, next string
	later      bool
	items      map[string]string
}

func (p *Pair) file() string {
	if p.later {
		return p.next
	}
	return p.path
}

func (p *Pair) load() error {
	data, err := os.ReadFile(p.file())
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &p.items)
}

// Set writes to the one or the other.
func (p *Pair) Set(key, value string) error {
	p.mu.Lock()
	p.items[key] = value
	data, err := json.Marshal(p.items)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	return replace(p.file(), data) // ok
}

// SetLast has a deferred call write.
func (s *Store) SetLast(key, value string) error {
	s.mu.Lock()
	s.items[key] = value
	snapshot := maps.Clone(s.items)
	s.mu.Unlock()
	defer s.write(snapshot) // ok
	return nil
}

// SetDeep writes far below.
func (s *Store) SetDeep(key, value string) error {
	s.mu.Lock()
	s.items[key] = value
	snapshot := maps.Clone(s.items)
	s.mu.Unlock()
	return s.write1(snapshot) // ok
}

func (s *Store) write1(items map[string]string) error { return s.write2(items) }

func (s *Store) write2(items map[string]string) error { return s.write3(items) }

func (s *Store) write3(items map[string]string) error { return s.write(items) }

// Exchange has a lock between processes wherever the state is copied and written.
func (s *Store) Exchange(items map[string]string) error {
	unlock, err := lock("/run/agent/exchange")
	if err != nil {
		return err
	}
	defer unlock()
	return s.exchange(items)
}

func (s *Store) exchange(items map[string]string) error {
	s.mu.Lock()
	s.items = items
	snapshot := maps.Clone(s.items)
	s.mu.Unlock()
	return s.write(snapshot) // ok
}

func (s *Store) ownFile() string { return s.path + "-" + strconv.Itoa(os.Getpid()) + ".json" }

func (s *Store) loadOwn() error {
	data, err := os.ReadFile(s.ownFile())
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &s.items)
}

// SetOwn writes what only this process has.
func (s *Store) SetOwn(key, value string) error {
	s.mu.Lock()
	s.items[key] = value
	data, err := json.Marshal(s.items)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return replace(s.ownFile(), data) // ok
}
