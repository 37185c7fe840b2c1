// Package refused has saves that come too late, and that no edit mends.
package refused

import (
	"encoding/json"
	"maps"
	"os"
	"sync"
)

type observer interface{ Changed(n int) }

type Book struct {
	mu      sync.Mutex
	path    string
	entries map[string]string
	changed chan struct{}
	seen    observer
	done    sync.WaitGroup
}

func (b *Book) load() error {
	data, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &b.entries)
}

func (b *Book) write(entries map[string]string) error {
	data, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	return replace(b.path, data)
}

// The author has a reason.
func (b *Book) Explained(key, value string) error {
	b.mu.Lock()
	b.entries[key] = value
	snapshot := maps.Clone(b.entries)
	// Readers do not wait for the disk.
	b.mu.Unlock()
	return b.write(snapshot) // want `\(\*Book\).Explained copies b.entries .*a comment says why`
}

// Announced does not hold the mutex for long: the file is written outside of it.
func (b *Book) Announced(key, value string) error {
	b.mu.Lock()
	b.entries[key] = value
	snapshot := maps.Clone(b.entries)
	b.mu.Unlock()
	return b.write(snapshot) // want `\(\*Book\).Announced copies b.entries .*a comment says that the file is written without the lock`
}

// The function waits for another one that takes the lock.
func (b *Book) Sends(key, value string) error {
	b.mu.Lock()
	b.entries[key] = value
	snapshot := maps.Clone(b.entries)
	b.mu.Unlock()
	b.changed <- struct{}{}
	return b.write(snapshot) // want `\(\*Book\).Sends copies b.entries .*the function waits for another goroutine behind the unlock`
}

func (b *Book) Waits(key, value string) error {
	b.mu.Lock()
	b.entries[key] = value
	snapshot := maps.Clone(b.entries)
	b.mu.Unlock()
	err := b.write(snapshot) // want `\(\*Book\).Waits copies b.entries .*what Wait does behind the unlock cannot be seen`
	b.done.Wait()
	return err
}

func (b *Book) Tells(key, value string) error {
	b.mu.Lock()
	b.entries[key] = value
	snapshot := maps.Clone(b.entries)
	b.mu.Unlock()
	if err := b.write(snapshot); err != nil { // want `\(\*Book\).Tells copies b.entries .*what Changed does behind the unlock cannot be seen`
		return err
	}
	b.seen.Changed(len(snapshot))
	return nil
}

func (b *Book) Calls(key string, then func()) error {
	b.mu.Lock()
	delete(b.entries, key)
	snapshot := maps.Clone(b.entries)
	b.mu.Unlock()
	defer then()
	return b.write(snapshot) // want `\(\*Book\).Calls copies b.entries .*a function is called behind the unlock that cannot be seen`
}

func (b *Book) Counts(key, value string) (int, error) {
	b.mu.Lock()
	b.entries[key] = value
	snapshot := maps.Clone(b.entries)
	b.mu.Unlock()
	err := b.write(snapshot) // want `\(\*Book\).Counts copies b.entries .*\(\*Book\).Len takes a lock of its own`
	return b.Len(), err
}

func (b *Book) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.entries)
}

func (b *Book) Starts(key, value string) error {
	b.mu.Lock()
	b.entries[key] = value
	snapshot := maps.Clone(b.entries)
	b.mu.Unlock()
	go b.Len()
	return b.write(snapshot) // want `\(\*Book\).Starts copies b.entries .*a goroutine is started behind the unlock`
}

// A lock that is taken in a block cannot be held beyond it with a word.
func (b *Book) Nested(keys []string) error {
	for _, key := range keys {
		b.mu.Lock()
		delete(b.entries, key)
		snapshot := maps.Clone(b.entries)
		b.mu.Unlock()
		if err := b.write(snapshot); err != nil { // want `\(\*Book\).Nested copies b.entries .*the lock is taken more than once`
			return err
		}
	}
	return nil
}

func (b *Book) Block(key, value string) error {
	if key != "" {
		b.mu.Lock()
		b.entries[key] = value
		snapshot := maps.Clone(b.entries)
		b.mu.Unlock()
		return b.write(snapshot) // want `\(\*Book\).Block copies b.entries .*the lock is not taken by a statement of its own in the body of the function`
	}
	return nil
}

func (b *Book) Emptied(key, value string) error {
	b.mu.Lock()
	b.entries[key] = value
	snapshot := maps.Clone(b.entries)
	{
		b.mu.Unlock()
	}
	return b.write(snapshot) // want `\(\*Book\).Emptied copies b.entries .*nothing would be left of the block`
}

// The lock stands in a literal.
func (b *Book) Literal(key, value string) error {
	snapshot := func() map[string]string {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.entries[key] = value
		return maps.Clone(b.entries)
	}()
	return b.write(snapshot) // want `\(\*Book\).Literal copies b.entries .*the lock is taken and released by a function that is called`
}

// The lock has two names.
func (b *Book) Renamed(key, value string) error {
	b.mu.Lock()
	b.entries[key] = value
	snapshot := maps.Clone(b.entries)
	mu := &b.mu
	mu.Unlock()
	return b.write(snapshot) // want `\(\*Book\).Renamed copies b.entries .*the lock has another name where it is released`
}

// Keep leaves the lock to its caller where it fails.
func (b *Book) Keep(key, value string) error {
	b.mu.Lock()
	if key == "" {
		return os.ErrInvalid
	}
	b.entries[key] = value
	snapshot := maps.Clone(b.entries)
	b.mu.Unlock()
	return b.write(snapshot) // want `\(\*Book\).Keep copies b.entries .*the function returns with the lock, or may`
}
