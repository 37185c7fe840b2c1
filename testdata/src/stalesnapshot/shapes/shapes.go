// Package shapes has saves that come too late, in forms that the others do not have.
package shapes

import (
	"encoding/json"
	"maps"
	"os"
	"sync"
)

type Book struct {
	mu      sync.Mutex
	path    string
	entries map[string]string
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
	return b.write(snapshot) // want `\(\*Book\).Explained copies b.entries .*\(no fix: who may wait for the disk only its author can say: hold b.mu until the file is written, or a lock of its own from the copy to the write\)`
}

// A lock that is taken in a loop.
func (b *Book) Nested(keys []string) error {
	for _, key := range keys {
		b.mu.Lock()
		delete(b.entries, key)
		snapshot := maps.Clone(b.entries)
		b.mu.Unlock()
		if err := b.write(snapshot); err != nil { // want `\(\*Book\).Nested copies b.entries under b.mu`
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
		return b.write(snapshot) // want `\(\*Book\).Block copies b.entries under b.mu`
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
	return b.write(snapshot) // want `\(\*Book\).Emptied copies b.entries under b.mu`
}

// The lock stands in a literal.
func (b *Book) Literal(key, value string) error {
	snapshot := func() map[string]string {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.entries[key] = value
		return maps.Clone(b.entries)
	}()
	return b.write(snapshot) // want `\(\*Book\).Literal copies b.entries under b.mu`
}

// The lock has two names.
func (b *Book) Renamed(key, value string) error {
	b.mu.Lock()
	b.entries[key] = value
	snapshot := maps.Clone(b.entries)
	mu := &b.mu
	mu.Unlock()
	return b.write(snapshot) // want `\(\*Book\).Renamed copies b.entries under b.mu`
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
	return b.write(snapshot) // want `\(\*Book\).Keep copies b.entries under b.mu`
}
