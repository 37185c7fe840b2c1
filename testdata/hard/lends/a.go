package lends

import (
	"encoding/json"
	"os"
	"sync"
)

type Item struct{ N int }

type Store struct {
	mu    sync.Mutex
	path  string
	items map[string]*Item
}

func (s *Store) Put(k string, it *Item) error {
	s.mu.Lock()
	s.items[k] = it
	snap, _ := s.pick(3)
	s.mu.Unlock()
	b, err := json.Marshal(snap)
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, b, 0o600) // want stalesnapshot/copied tornwrite/inplace
}

func (s *Store) Add(k string, it *Item) error {
	s.mu.Lock()
	s.items[k] = it
	snap, _ := s.pick(3)
	s.mu.Unlock()
	b, err := json.Marshal(snap)
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, b, 0o600) // want stalesnapshot/copied tornwrite/inplace
}

// pick calls itself, and returns two results.
func (s *Store) pick(n int) (map[string]*Item, bool) {
	if n > 0 {
		return s.pick(n - 1)
	}
	snap := make(map[string]*Item, len(s.items))
	for k, v := range s.items {
		snap[k] = v
	}
	return snap, true
}

func Load(path string) (*Store, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, items: map[string]*Item{}}
	if err := json.Unmarshal(b, &s.items); err != nil {
		return nil, err
	}
	return s, nil
}
