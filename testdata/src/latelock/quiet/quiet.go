// Package quiet holds changes before a lock that are fine.
package quiet

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/lockvet/lockvet/safeio"
)

type store struct {
	path    string
	mu      sync.Mutex
	items   map[string]int
	size    int
	calls   int // of the one goroutine that calls visit
	seen    atomic.Int64
	signal  chan struct{}
	closing bool

	outer sync.Mutex
	stale bool
}

// load makes the object: nobody else has it yet.
func load(path string) (*store, error) {
	s := &store{path: path, signal: make(chan struct{}, 1)}
	s.items = map[string]int{}
	s.size = 0
	s.mu.Lock()
	defer s.mu.Unlock()
	return s, s.read()
}

// reload changes an object that a function of the package has made.
func reload(path string) (*store, error) {
	s, err := load(path)
	if err != nil {
		return nil, err
	}
	s.size = 1
	s.mu.Lock()
	defer s.mu.Unlock()
	return s, s.read()
}

func (s *store) read() error {
	data, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &s.items)
}

// put is the ordinary way.
func (s *store) put(name string, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[name] = n
	s.size++
	return s.save()
}

func (s *store) sum() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size + len(s.items)
}

// pruneLocked has the lock on entry, lets go of it and takes it again.
func (s *store) pruneLocked() error {
	s.size = 0
	s.mu.Unlock()
	err := os.Remove(s.path)
	s.mu.Lock()
	return err
}

// compact is called with the mutex held.
func (s *store) compact() {
	s.size = len(s.items)
	s.mu.Unlock()
	defer s.mu.Lock()
	s.kick()
}

// shrink has it on entry and does not say so.
func (s *store) shrink() error {
	s.size--
	s.mu.Unlock()
	err := os.Remove(s.path)
	s.mu.Lock()
	s.items = nil
	return err
}

// visit changes a field that no lock guards.
func (s *store) visit() int {
	s.calls++
	s.seen.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// kick only makes a signal.
func (s *store) kick() {
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// revive is called before the goroutines of the store have started.
func (s *store) revive() error {
	s.mu.Lock()
	n := len(s.items)
	s.mu.Unlock()
	s.size = n
	return s.save()
}

// drain leaves before the lock on the way that changes.
func (s *store) drain(quick bool) error {
	if quick {
		return s.save()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = 0
	return s.save()
}

// A cabinet has one store, which only it changes.
type cabinet struct {
	mu    sync.Mutex
	store *store
}

// swap holds the lock of another object.
func (c *cabinet) swap(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.store
	s.size = n
	s.mu.Lock()
	s.items = nil
	s.mu.Unlock()
}

func (s *store) spoil() {
	s.outer.Lock()
	defer s.outer.Unlock()
	s.stale = true
}

func (s *store) fresh() bool {
	s.outer.Lock()
	defer s.outer.Unlock()
	return !s.stale
}

// run starts the goroutines of the store: what it changes before is set up.
func (s *store) run(ctx context.Context) {
	s.size = 1
	s.mu.Lock()
	s.items = map[string]int{}
	s.mu.Unlock()
	go func() {
		for range s.signal {
			s.sum()
		}
	}()
	<-ctx.Done()
}

// apply runs a function under the lock.
func (s *store) apply(change func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	return s.save()
}

// double changes in such a function.
func (s *store) double() error {
	return s.apply(func() {
		s.size *= 2
		for name := range s.items {
			s.items[name] *= 2
		}
	})
}

// retry takes the lock in a loop and lets go of it at its end.
func (s *store) retry(names []string) {
	for _, name := range names {
		s.mu.Lock()
		if s.items[name] == 0 {
			s.mu.Unlock()
			continue
		}
		s.size--
		delete(s.items, name)
		s.mu.Unlock()
	}
}

// try changes only if it has the lock.
func (s *store) try() bool {
	if !s.mu.TryLock() {
		return false
	}
	s.size = 0
	s.mu.Unlock()
	return true
}

func (s *store) save() error {
	data, err := json.Marshal(s.items)
	if err != nil {
		return err
	}
	return safeio.WriteFile(s.path, data, 0o600)
}

// A meter's total is changed by everybody, with the lock and without.
type meter struct {
	path  string
	mu    sync.Mutex
	total int
}

func (m *meter) Add(n int) { m.total += n }

func (m *meter) step() error {
	m.total++
	m.mu.Lock()
	defer m.mu.Unlock()
	return safeio.WriteFile(m.path, []byte{byte(m.total)}, 0o600)
}

func (m *meter) back() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total--
}

func (m *meter) get() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

// A tally stands for no file; only what names it does. Nobody else changes it under the
// lock.
type tally struct {
	mu   sync.Mutex
	hits int
}

func (t *tally) hit() {
	t.hits++
	t.mu.Lock()
	defer t.mu.Unlock()
}

func (t *tally) some() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hits > 0
}

func (t *tally) none() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hits == 0
}

func print(t *tally, path string) error {
	return safeio.WriteFile(path, []byte(fmt.Sprintf("%p", &t.mu)), 0o600)
}
