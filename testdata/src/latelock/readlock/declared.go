package readlock

import (
	"os"
	"path/filepath"
	"sync"
)

// A depot says at its locks what they are for. One function alone has the lock of each.
type depot struct {
	dir string

	mu    sync.RWMutex // protects the fields below
	dirty bool
	books map[string][]byte

	opened int

	// countMu guards lent and returned.
	countMu  sync.RWMutex
	lent     int
	returned int
	seen     int
}

func (s *depot) fetch(name string) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.books == nil {
		s.books = map[string][]byte{} // want `\(\*depot\).fetch changes s.books while it holds only the read lock of s.mu`
	}
	s.opened++
	if b, ok := s.books[name]; ok {
		return b, nil
	}
	return os.ReadFile(filepath.Join(s.dir, name))
}

func (s *depot) lend() {
	s.countMu.RLock()
	s.lent++ // want `\(\*depot\).lend changes s.lent while it holds only the read lock of s.countMu`
	s.seen++
	s.countMu.RUnlock()
}

// A reader is one of many.
type reader struct {
	mu   sync.RWMutex
	page int
	file string
}

func (r *reader) turn() {
	r.mu.Lock()
	r.page++
	r.mu.Unlock()
}

func (r *reader) at() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.page
}

func (r *reader) open() ([]byte, error) { return os.ReadFile(r.file) }

type room struct{ readers []*reader }

// rewind has the element of a list.
func (l *room) rewind() {
	for _, r := range l.readers {
		r.mu.RLock()
		r.page = 0 // want `\(\*room\).rewind changes reader.page while it holds only the read lock of reader.mu`
		r.mu.RUnlock()
	}
}

// first has a lock of its own, which is nobody else's.
func (l *room) first(each func(*reader)) {
	var mu sync.Mutex
	for _, r := range l.readers {
		go func() {
			mu.Lock()
			defer mu.Unlock()
			each(r)
			r.mu.RLock()
			r.page = 1 // want `\(\*room\).first changes reader.page while it holds only the read lock of reader.mu`
			r.mu.RUnlock()
		}()
	}
}
