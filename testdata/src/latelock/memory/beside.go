package memory

import (
	"encoding/json"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

// A policy is saved, but for what it has met last.
type policy struct {
	mu    sync.RWMutex
	path  string
	rules map[string]bool
	last  string
}

func (p *policy) save() error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	data, err := json.Marshal(p.rules)
	if err != nil {
		return err
	}
	return safeio.WriteFile(p.path, data, 0o600)
}

// check keeps what it has met in memory alone.
func (p *policy) check(name string) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.rules[name] {
		p.last = name /* warning */ // want `\(\*policy\).check changes p.last while it holds only the read lock of p.mu`
		return true
	}
	p.last = "" // ok: it is fixed with the other
	return false
}

func (p *policy) met() string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.last
}

// allow changes what is saved.
func (p *policy) allow(name string) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	p.rules[name] = true /* error */ // want `\(\*policy\).allow changes p.rules while it holds only the read lock of p.mu`
}

// A shelf of anything is saved, too, in a part of it.
type shelf[T any] struct {
	mu    sync.RWMutex
	path  string
	state struct{ items map[string]T }
}

func (s *shelf[T]) save() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	data, err := json.Marshal(s.state.items)
	if err != nil {
		return err
	}
	return safeio.WriteFile(s.path, data, 0o600)
}

func (s *shelf[T]) put(name string, item T) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.state.items[name] = item /* error */ // want `changes s.state.items while it holds only the read lock of s.mu`
}

var shelves shelf[string]

func stock(name string) error {
	shelves.put(name, name)
	return shelves.save()
}
