package quiet

import (
	"os"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

// A segment's lock goes from hand to hand.
type segment struct {
	mu   sync.Mutex
	path string
	size int
	last int
}

func (g *segment) append(n int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.size += n
	g.last = n
	return safeio.WriteFile(g.path, []byte{byte(g.size)}, 0o600)
}

func (g *segment) total() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.size + g.last
}

// pause lets go of the lock of its caller while the disk works.
func (g *segment) pause() error {
	g.mu.Unlock()
	err := os.Remove(g.path)
	g.mu.Lock()
	return err
}

// drop has the lock on entry and does not say so.
func (g *segment) drop() error {
	g.size = 0
	return g.pause()
}

// Shrink has it.
func (g *segment) Shrink() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.drop()
}

// A ring's segment is replaced.
type ring struct {
	cur *segment
}

// Roll changes a segment that only it knows, and then the one in its place.
func (r *ring) Roll(old *segment, n int) {
	r.cur = old
	r.cur.last = n
	r.cur = &segment{path: old.path}
	r.cur.mu.Lock()
	r.cur.last = n
	r.cur.mu.Unlock()
}

// trim tries, and leaves the change to who has the lock.
func (g *segment) trim() {
	if !g.mu.TryLock() {
		return
	}
	g.last = 0
	g.mu.Unlock()
}

// unlocker has its own way to let go.
func (g *segment) unlocker() func() {
	g.mu.Lock()
	return g.release
}

func (g *segment) release() { g.mu.Unlock() }

// reset changes before the lock is let go of through the value of a method.
func (g *segment) reset() {
	unlock := g.unlocker()
	g.last = 0
	unlock()
}

// yield lets go of the lock of its caller, unless that has more to do.
func (g *segment) yield(batched bool) error {
	if !batched {
		g.mu.Unlock()
		defer g.mu.Lock()
	}
	return os.Remove(g.path)
}

// stop does the same on the way.
func (g *segment) stop(batched bool) error {
	if !batched {
		g.mu.Unlock()
	}
	err := os.Remove(g.path)
	if !batched {
		g.mu.Lock()
	}
	return err
}

// halve has the lock on entry.
func (g *segment) halve(batched bool) error {
	g.size /= 2
	return g.yield(batched)
}

// quarter has it too.
func (g *segment) quarter(batched bool) error {
	g.size /= 4
	return g.stop(batched)
}

// Halve has it.
func (g *segment) Halve(n int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n > 2 {
		return g.quarter(false)
	}
	return g.halve(false)
}

// flush hands the lock over to a goroutine, which lets go of it.
func (g *segment) flush() {
	g.mu.Lock()
	g.last = 0
	go func() {
		defer g.mu.Unlock()
		g.size = 0
		os.Remove(g.path)
	}()
}

// drain changes what it may, since a goroutine lets go of the lock later.
func (g *segment) drain(done chan struct{}) {
	g.mu.Lock()
	go func() {
		<-done
		g.mu.Unlock()
	}()
	g.size = 0
	g.last = 0
	close(done)
}

// finish is started with the lock that another has taken.
func (g *segment) finish() {
	g.size = 0
	g.last = 0
	os.Remove(g.path)
	g.mu.Unlock()
}

// Finish takes it for that one.
func (g *segment) Finish() {
	g.mu.Lock()
	go g.finish()
}

// after hands the lock to a timer.
func (g *segment) after(run func(func())) {
	g.mu.Lock()
	run(func() {
		g.size--
		g.mu.Unlock()
	})
}

// locked gives the lock to its caller, with what lets go of it.
func (g *segment) locked() (*segment, func()) {
	g.mu.Lock()
	return g, func() {
		g.last = g.size
		g.mu.Unlock()
	}
}

// grow has it from there.
func (g *segment) grow(n int) {
	s, unlock := g.locked()
	defer unlock()
	s.size += n
	g.last = n
}
