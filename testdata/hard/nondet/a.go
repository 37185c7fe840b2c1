package nondet

import (
	"encoding/json"
	"os"
	"sync"
)

type Store struct {
	mu    sync.Mutex
	guard sync.Mutex
	path  string
	items map[string]int
}

func (s *Store) Put(k string, n int) error {
	s.guard.Lock()
	s.mu.Lock()
	s.items[k] = n
	b, err := json.Marshal(s.items)
	s.mu.Unlock()
	s.guard.Unlock()
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, b, 0o600) // want stalesnapshot/copied tornwrite/inplace
}

func (s *Store) Drop(k string) error {
	s.guard.Lock()
	s.mu.Lock()
	delete(s.items, k)
	b, err := json.Marshal(s.items)
	s.mu.Unlock()
	s.guard.Unlock()
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, b, 0o600) // want stalesnapshot/copied tornwrite/inplace
}

func (s *Store) Load() error {
	b, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, &s.items)
}
