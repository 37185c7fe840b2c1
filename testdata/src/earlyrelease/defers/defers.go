package defers

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
)

type book struct {
	mu   sync.Mutex
	dir  string
	page int
}

func (b *book) publish() {
	os.Rename(filepath.Join(b.dir, "book.new"), filepath.Join(b.dir, "book.json"))
}

// Turn writes under the mutex.
func (b *book) Turn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.page++
	b.publish()
}

// Skip has it the wrong way round.
func (b *book) Skip(n int) {
	defer b.publish() // want `Skip writes b.dir/book.json in a deferred call that runs after the deferred unlock of b.mu`
	b.mu.Lock()
	defer b.mu.Unlock()
	b.page += n
}

// Mark explains itself.
func (b *book) Mark() {
	// Whatever happens, the page is kept.
	defer func() {
		b.page--
		b.publish() // want `Mark writes b.dir/book.json in a deferred call`
	}()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.page++
}

// Close may end before it has the mutex.
func (b *book) Close(done bool) {
	defer b.publish() // want `Close writes .*\(no fix: defer it behind the unlock, so that it runs first`
	if done {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.page = 0
}

// Share is between processes.
func (b *book) Share() error {
	g := flock.New(filepath.Join(b.dir, "book.lock"))
	if err := g.Lock(); err != nil {
		return err
	}
	defer g.Unlock()
	b.publish()
	return nil
}

// Lend defers its write first.
func (b *book) Lend() error {
	g := flock.New(filepath.Join(b.dir, "book.lock"))
	defer b.publish() // want `Lend writes b.dir/book.json in a deferred call that runs after the deferred unlock of b.dir/book.lock`
	if err := g.Lock(); err != nil {
		return err
	}
	defer g.Unlock()
	return nil
}
