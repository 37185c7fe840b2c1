package visited

import (
	"encoding/json"
	"os"
	"sync"
)

// A pool has a lock of its own, which its methods take and release.
type pool struct {
	mu   sync.RWMutex
	list []string
}

func (p *pool) save() error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	data, err := json.Marshal(p.list)
	if err != nil {
		return err
	}
	return os.WriteFile("pool.json", data, 0o600)
}

// A depot may have a pool.
type depot struct {
	mu      sync.RWMutex
	pool    *pool
	entries []string
}

// save asks the pool, which has released its lock when the entries are cut.
func (d *depot) save() error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.pool != nil {
		if err := d.pool.save(); err != nil {
			return err
		}
	}
	return d.saveEntries() // want `\(\*depot\).save changes d.entries, in \(\*depot\).saveEntries, while it holds only the read lock of d.mu`
}

func (d *depot) saveEntries() error {
	if len(d.entries) > 100 {
		d.entries = d.entries[len(d.entries)-100:]
	}
	data, err := json.Marshal(d.entries)
	if err != nil {
		return err
	}
	return os.WriteFile("entries.json", data, 0o600)
}

func (d *depot) add(entry string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, entry)
}

func (d *depot) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = nil
}

// empty may have the lock of the pool itself, which guards the entries as well then.
func (d *depot) empty() error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if err := d.pool.save(); err != nil {
		return err
	}
	if len(d.entries) > 100 {
		d.pool.mu.Lock()
		defer d.pool.mu.Unlock()
	}
	d.entries = nil
	return nil
}
