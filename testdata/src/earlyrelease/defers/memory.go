package defers

import (
	"log"
	"os"
	"path/filepath"
	"sync"
)

// Backend keeps boxes, in a way that is not seen from here.
type Backend interface{ Save(b *Box) error }

// Locker is a lock of whatever kind.
type Locker interface {
	Lock()
	Unlock()
}

type boxState struct {
	Err  string
	PID  int
	Name string
}

// Box is kept by a backend, under its lock.
type Box struct {
	lock    Locker
	dir     string
	state   *boxState
	backend Backend
	batched bool
}

// Log reads what the box has written.
func (b *Box) Log() ([]byte, error) { return os.ReadFile(filepath.Join(b.dir, "log")) }

func (b *Box) save() error { return b.backend.Save(b) }

func saveFailure(b *Box, err error) error {
	b.state.Err = err.Error()
	return b.save()
}

// Start notes why it failed when it has let go of the lock.
func (b *Box) Start() (failure error) {
	defer func() { // want `\(\*Box\).Start changes b.state.Err and saves it in a deferred call that runs after the deferred unlock of b.lock`
		if failure != nil {
			if err := saveFailure(b, failure); err != nil {
				log.Print(err)
			}
		}
	}()
	if !b.batched {
		b.lock.Lock()
		defer b.lock.Unlock()
	}
	b.state.PID = 7
	return b.save()
}

// Rename holds the lock for the state.
func (b *Box) Rename(name string) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.state.Name = name
	return b.save()
}

// Stop notes it before.
func (b *Box) Stop() (failure error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	defer func() { // ok: it runs before the unlock
		if failure != nil {
			saveFailure(b, failure)
		}
	}()
	return b.save()
}

// Kill takes the lock again.
func (b *Box) Kill() (failure error) {
	defer func() { // ok: under the lock
		b.lock.Lock()
		defer b.lock.Unlock()
		saveFailure(b, failure)
	}()
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.save()
}

// Count saves what nobody holds the lock for.
type counter struct {
	mu   sync.Mutex
	path string
	n    int
	note string
}

func (c *counter) saveNote() error { return os.WriteFile(c.path+".note", []byte(c.note), 0o600) }

func (c *counter) count() {
	defer func() { // ok: nobody holds the lock for the note
		c.note = "counted"
		c.saveNote()
	}()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

func (c *counter) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = 0
}

// A tally has a lock of its own.
type tally struct {
	mu  sync.Mutex
	all int
}

func (t *tally) count() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all++
}

// A Crate has a tally, which others have, too.
type Crate struct {
	mu    sync.Mutex
	tally *tally
	state *boxState
	box   *Box
}

// Total reads the tally of the crate under its lock.
func (c *Crate) Total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	os.Remove(c.state.Name)
	return c.tally.all
}

func (c *Crate) saveAll() {
	c.tally.count()
	c.box.backend.Save(c.box)
}

// Fill counts behind the unlock, under the lock of the tally.
func (c *Crate) Fill() {
	defer c.saveAll() // ok
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.PID++
}

func (c *Crate) first()  { c.state.Err = "again"; c.second() }
func (c *Crate) second() { c.third() }
func (c *Crate) third()  { c.fourth() }
func (c *Crate) fourth() { c.box.backend.Save(c.box) }

// Empty saves by a helper of a helper of a helper.
func (c *Crate) Empty() {
	defer c.first() // want `\(\*Crate\).Empty changes c.state.Err and saves it in a deferred call that runs after the deferred unlock of c.mu`
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.PID = 0
}
