// Package empty has sections in which nothing is done, in a package without files.
package empty

import (
	"sync"
)

type registry struct {
	mu      sync.RWMutex
	entries map[string]int
	idle    chan struct{}
}

// Clear has forgotten the defer.
func (r *registry) Clear() {
	r.mu.Lock()
	r.mu.Unlock() // want `\(\*registry\).Clear releases r.mu as soon as it has it, and goes on without it: is a defer missing\?`
	r.entries = map[string]int{}
}

// Len has it forgotten for reading.
func (r *registry) Len() int {
	if r == nil {
		return 0
	}
	r.mu.RLock()
	r.mu.RUnlock() // want `\(\*registry\).Len releases r.mu as soon as it has it`
	return len(r.entries)
}

// Add has it right.
func (r *registry) Add(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[name]++
}

// Wait goes when all others are done.
func (r *registry) Wait() {
	r.mu.Lock()
	r.mu.Unlock()
}

// Drain says what it waits for.
func (r *registry) Drain() int {
	// Whoever adds an entry has the lock.
	r.mu.Lock()
	r.mu.Unlock()
	return len(r.entries)
}

// Other takes the lock of another.
func (r *registry) Other(o *registry) int {
	o.mu.Lock()
	o.mu.Unlock()
	return len(r.entries)
}

// Again takes it once more for what it does.
func (r *registry) Again(name string) {
	r.mu.RLock()
	r.mu.RUnlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[name]++
}

type writer struct {
	sync.Mutex
	pages int
	ready sync.Cond
	done  chan struct{}
}

func (w *writer) free() {
	w.Lock()
	defer w.Unlock()
	w.pages = 0
}

// Close frees what others may write yet.
func (w *writer) Close() {
	defer func() {
		w.Lock()
		w.Unlock() // want `releases the mutex of w as soon as it has it`
		w.pages = 0
	}()
}

// Free calls what takes the lock itself.
func (w *writer) Free() {
	w.Lock()
	w.Unlock()
	w.free()
}

// Wake waits until nobody is between his look and his wait.
func (w *writer) Wake() {
	w.Lock()
	w.Unlock()
	w.ready.Broadcast()
	close(w.done)
}

var device sync.Mutex

func create(string) error { return nil }

// Open makes the device without the lock.
func Open(name string) error {
	device.Lock()
	device.Unlock() // want `Open releases device as soon as it has it`
	return create(name)
}

// Opened makes it under the lock.
func Opened(name string) error {
	device.Lock()
	err := create(name)
	device.Unlock()
	return err
}

// ProbeLocks sees whether somebody keeps the lock for ever.
func ProbeLocks(name string) error {
	device.Lock()
	device.Unlock() // ok: that is what it is there for
	return create(name)
}
