// Package ring goes by an index, which is no slice.
package ring

import "sync"

// A ring overwrites its oldest lines.
type ring struct {
	lines []line
	size  int
	head  int
	count int
	mu    sync.RWMutex
}

type line struct {
	text string
	n    int
}

// add goes by the index, and holds the lock to the end.
func (r *ring) add(l line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines[r.head] = l
	r.head = (r.head + 1) % r.size
	if r.count < r.size {
		r.count++
	}
}

func (r *ring) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.head = 0
	r.count = 0
}

func (r *ring) last(n int) []line {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if n > r.count {
		n = r.count
	}
	list := make([]line, n)
	for i := range n {
		list[i] = r.lines[(r.head-1-i+r.size)%r.size]
	}
	return list
}

func (r *ring) all() []line {
	return r.last(r.count) // want `\(\*ring\).all`
}
