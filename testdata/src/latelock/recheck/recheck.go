package recheck

import (
	"encoding/json"
	"path/filepath"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

type talk struct {
	Key   string
	Lines []string
}

type hall struct {
	dir   string
	mu    sync.RWMutex
	talks map[string]*talk
}

// join looks and enters under two locks, with nothing in between.
func (h *hall) join(key string) *talk {
	h.mu.RLock()
	t, ok := h.talks[key]
	h.mu.RUnlock()
	if !ok {
		h.mu.Lock()
		t = &talk{Key: key}
		h.talks[key] = t // want `\(\*hall\).join enters a new object into h.talks because an earlier look found none, but has released h.mu since`
		h.mu.Unlock()
	}
	return t
}

// meet compares with nil, and looks under the lock for writers.
func (h *hall) meet(key string) *talk {
	h.mu.Lock()
	t := h.talks[key]
	h.mu.Unlock()
	if t != nil {
		return t
	}
	t = &talk{Key: key}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.talks[key] = t // want `\(\*hall\).meet enters a new object into h.talks`
	return t
}

// greet lets go by hand.
func (h *hall) greet(key string) *talk {
	h.mu.RLock()
	t, ok := h.talks[key]
	h.mu.RUnlock()
	if ok {
		return t
	}
	made := &talk{Key: key}
	h.mu.Lock()
	// It is new.
	h.talks[key] = made // want `\(\*hall\).greet enters a new object into h.talks`
	h.mu.Unlock()
	return made
}

// count does more with what it finds than to return it.
func (h *hall) count(key string) int {
	h.mu.RLock()
	t, ok := h.talks[key]
	h.mu.RUnlock()
	if ok {
		t.Lines = append(t.Lines, "counted")
		return len(t.Lines)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.talks[key] = &talk{Key: key} // want `\(\*hall\).count enters a new object into h.talks.*no fix: it is not certain what the function does with what it finds`
	return 0
}

// first asks later whether it was the first.
func (h *hall) first(key string) (*talk, bool) {
	h.mu.RLock()
	t, ok := h.talks[key]
	h.mu.RUnlock()
	if !ok {
		h.mu.Lock()
		t = &talk{Key: key}
		h.talks[key] = t // want `\(\*hall\).first enters a new object into h.talks.*no fix: ok is read again`
		h.mu.Unlock()
	}
	return t, !ok
}

// visit looks again.
func (h *hall) visit(key string) *talk {
	h.mu.RLock()
	t, ok := h.talks[key]
	h.mu.RUnlock()
	if ok {
		return t
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, ok := h.talks[key]; ok {
		return t
	}
	t = &talk{Key: key}
	h.talks[key] = t
	return t
}

// move enters what it found before under another key.
func (h *hall) move(from, to string) {
	h.mu.RLock()
	t, ok := h.talks[from]
	h.mu.RUnlock()
	if ok {
		h.mu.Lock()
		h.talks[to] = t
		h.mu.Unlock()
	}
}

// open replaces on purpose.
func (h *hall) reopen(key string) {
	h.mu.RLock()
	old := h.talks[key]
	h.mu.RUnlock()
	lines := append([]string{"reopened"}, old.Lines...)
	h.mu.Lock()
	h.talks[key] = &talk{Key: key, Lines: lines}
	h.mu.Unlock()
}

func (h *hall) say(key, line string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.talks[key]
	t.Lines = append(t.Lines, line)
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return safeio.WriteFile(filepath.Join(h.dir, key+".json"), data, 0o600)
}

// renew enters a new one whatever was there.
func (h *hall) renew(key string) *talk {
	h.mu.RLock()
	_, ok := h.talks[key]
	h.mu.RUnlock()
	if ok {
		println("once more: " + key)
	}
	t := &talk{Key: key}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.talks[key] = t // ok
	return t
}
