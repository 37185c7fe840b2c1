package quiet

import (
	"encoding/json"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

// A till counts under its lock.
type till struct {
	path string

	mu                 sync.RWMutex
	in, out, due, owed int
	tips               int
}

func (t *till) take(n int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.in += n
	t.out += n
	t.due += n
	t.owed += n
	t.tips += n
	return t.save()
}

func (t *till) empty() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.in, t.out, t.due, t.owed, t.tips = 0, 0, 0, 0, 0
	return t.save()
}

func (t *till) sum() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.in + t.out + t.due + t.owed + t.tips
}

func (t *till) save() error {
	data, err := json.Marshal(t.in)
	if err != nil {
		return err
	}
	return safeio.WriteFile(t.path, data, 0o600)
}

// A shop has a till.
type shop struct {
	mu   sync.Mutex
	till *till
}

// correct has the lock of what the till belongs to.
func (s *shop) correct(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.till
	t.in = n
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.save()
}

// startUnsafe is called by who has the till for himself.
func (t *till) startUnsafe(n int) error {
	t.out = n
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.save()
}

// shown lets go of the lock of its caller, and lets others read meanwhile.
func (t *till) shown(n int) {
	t.mu.Unlock()
	t.mu.RLock()
	t.due = n
	t.mu.RUnlock()
	t.mu.Lock()
}

// replace makes the lock, too.
func (t *till) replace(n int) error {
	t.mu = sync.RWMutex{}
	t.owed = n
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.save()
}
