package readlock

import (
	"encoding/json"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

type rack struct {
	path  string
	mu    sync.RWMutex
	books map[string]int
	lent  map[string]int
}

// populated makes the maps, which no other goroutine has yet.
func (s *rack) populated() {
	s.books = make(map[string]int)
	s.lent = make(map[string]int)
}

// find enters what it does not find, together with all who have the read lock.
func (s *rack) find(title string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, ok := s.books[title]
	if !ok {
		n = len(s.books)
		s.books[title] = n // want `\(\*rack\).find changes s.books while it holds only the read lock of s.mu`
	}
	s.lent[title]++
	return n
}

func (s *rack) put(title string, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books[title] = n
	return s.save()
}

func (s *rack) drop(title string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.books, title)
	return s.save()
}

func (s *rack) save() error {
	data, err := json.Marshal(s.books)
	if err != nil {
		return err
	}
	return safeio.WriteFile(s.path, data, 0o600)
}

// lend changes what others change under the lock, and goes by none.
func (s *rack) lend(title string) { s.lent[title]++ }

func (s *rack) back(title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lent[title]--
}

func (s *rack) count(title string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.lent[title]
}
