package readlock

import (
	"encoding/json"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

type catalogue struct {
	path string
	mu   sync.RWMutex
	hits map[string]int
	last string
}

// find counts under the lock for readers.
func (c *catalogue) find(name string) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.hits[name]++ // want `\(\*catalogue\).find changes c.hits while it holds only the read lock of c.mu`
	return c.hits[name]
}

// recent leaves the change to a helper.
func (c *catalogue) recent(name string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.remember(name) // want `\(\*catalogue\).recent changes c.last, in \(\*catalogue\).remember, while it holds only the read lock of c.mu`
	return c.last
}

func (c *catalogue) remember(name string) { c.last = name }

func (c *catalogue) forget(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.hits, name)
	c.last = ""
	return c.save()
}

func (c *catalogue) merge(hits map[string]int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, n := range hits {
		c.hits[name] += n
		c.remember(name)
	}
	return c.save()
}

func (c *catalogue) save() error {
	data, err := json.Marshal(c.hits)
	if err != nil {
		return err
	}
	return safeio.WriteFile(c.path, data, 0o600)
}

// A shelf has functions that take its lock once more.
type shelf struct {
	path  string
	mu    sync.RWMutex
	seen  map[string]int
	notes func(string)
}

func (s *shelf) total() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.seen)
}

// again takes the lock for readers twice, as readers may.
func (s *shelf) again(name string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.seen[name]++ // want `again changes s.seen while it holds only the read lock.*no fix: total, which runs under the lock, takes it, too`
	return s.total()
}

// told runs what cannot be seen.
func (s *shelf) told(name string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.seen[name]++ // want `told changes s.seen while it holds only the read lock.*no fix: s.notes is called under the lock, and what it is comes out as the program runs`
	s.notes(name)
}

// inner is called by who had the lock.
func (s *shelf) inner(name string) {
	s.mu.RLock()
	s.seen[name]++ // want `inner changes s.seen while it holds only the read lock`
	s.mu.RUnlock()
}

// innermost is called by who has the lock.
func (s *shelf) innermost(name string) {
	s.mu.RLock()
	s.seen[name]++ // want `innermost changes s.seen while it holds only the read lock.*no fix: around, which takes the lock, calls the function`
	s.mu.RUnlock()
}

func (s *shelf) around(name string) int {
	s.mu.RLock()
	s.innermost(name)
	n := len(s.path)
	s.mu.RUnlock()
	return n
}

func (s *shelf) outer(name string) int {
	s.mu.RLock()
	n := len(s.path)
	s.mu.RUnlock()
	s.inner(name)
	return n
}

// early lets go by hand.
func (s *shelf) early(name string) bool {
	s.mu.RLock()
	if name == "" {
		s.mu.RUnlock()
		return false
	}
	s.seen[name]++ // want `early changes s.seen while it holds only the read lock`
	s.mu.RUnlock()
	return true
}

// apart starts what takes the lock beside it, and waits.
func (s *shelf) apart(name string) {
	var wg sync.WaitGroup
	s.mu.RLock()
	defer s.mu.RUnlock()
	wg.Add(1)
	go func() {
		defer wg.Done()
		s.mu.RLock()
		defer s.mu.RUnlock()
		_ = len(s.seen)
	}()
	wg.Wait()
	s.seen[name]++ // want `apart changes s.seen while it holds only the read lock.*no fix: a function literal takes the lock, too`
}

func (s *shelf) drop(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.seen, name)
	return s.save()
}

func (s *shelf) take(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[name]--
	return s.save()
}

func (s *shelf) save() error {
	data, err := json.Marshal(s.seen)
	if err != nil {
		return err
	}
	return safeio.WriteFile(s.path, data, 0o600)
}
