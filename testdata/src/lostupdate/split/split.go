package split

import (
	"encoding/json"
	"log"
	"os"
	"sync"
)

type registry struct {
	path string
	mu   sync.Mutex
}

type entry struct{ Name, Socket string }

func (r *registry) read() ([]entry, error) {
	unlock, err := lock(r.path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	data, err := os.ReadFile(r.path)
	if err != nil {
		return nil, err
	}
	var entries []entry
	return entries, json.Unmarshal(data, &entries)
}

func (r *registry) write(entries []entry) error {
	unlock, err := lock(r.path)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	return replace(r.path, data)
}

// register has the lock twice, and in between not at all.
func (r *registry) register(e entry) error {
	entries, err := r.read()
	if err != nil {
		return err
	}
	return r.write(append(entries, e)) // want `\(\*registry\).register releases the lock of r.path between loading and saving it: what another saves in between is lost \(no fix: r.read and r.write take the lock themselves, and would wait for one around both; that needs forms of them without it\)`
}

// A counter has the same mistake with a mutex.
type counter struct {
	path string
	mu   sync.Mutex
}

type failures struct{ Count int }

func (c *counter) load() failures {
	c.mu.Lock()
	defer c.mu.Unlock()
	var f failures
	if data, err := os.ReadFile(c.path); err == nil {
		if err := json.Unmarshal(data, &f); err != nil {
			log.Fatal(err)
		}
	}
	return f
}

func (c *counter) save(f failures) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return replace(c.path, data)
}

func (c *counter) recordFailure() error {
	f := c.load()
	f.Count++
	return c.save(f) // want `\(\*counter\).recordFailure releases the lock of c.path between loading and saving it.*no fix: the program has a lock of its own for such files, split.lock`
}

// rename lets go of the lock by itself, to have it again.
func (r *registry) rename(old, name string) error {
	unlock, err := lock(r.path)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(r.path)
	unlock()
	if err != nil {
		return err
	}
	var entries []entry
	if err := json.Unmarshal(data, &entries); err != nil {
		return err
	}
	for i := range entries {
		if entries[i].Name == old {
			entries[i].Name = name
		}
	}
	if data, err = json.Marshal(entries); err != nil {
		return err
	}
	if unlock, err = lock(r.path); err != nil {
		return err
	}
	defer unlock()
	return replace(r.path, data) // want `\(\*registry\).rename releases .*\(no fix: why it releases the lock in between only its author can say\)`
}
