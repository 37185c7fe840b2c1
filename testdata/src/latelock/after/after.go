package after

import (
	"encoding/json"
	"path/filepath"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

type roster struct {
	dir   string
	mu    sync.RWMutex
	names []string
	dirty bool
	pool  map[string]bool
}

// enter lets go of the lock one statement too soon.
func (r *roster) enter(name string) {
	r.mu.Lock()
	r.names = append(r.names, name)
	r.mu.Unlock()
	r.dirty = true // want `\(\*roster\).enter changes r.dirty after it has released r.mu`
}

// leave goes on for a while behind the lock.
func (r *roster) leave(i int) error {
	r.mu.Lock()
	name := r.names[i]
	r.names = append(r.names[:i], r.names[i+1:]...)
	r.mu.Unlock()

	delete(r.pool, name) // want `\(\*roster\).leave changes r.pool after it has released r.mu`
	return r.save()
}

// replace saves in between: the unlock cannot move over that.
func (r *roster) replace(names []string) error {
	r.mu.Lock()
	r.names = names
	r.mu.Unlock()
	if err := r.save(); err != nil {
		return err
	}
	r.dirty = false // want `\(\*roster\).replace changes r.dirty after it has released r.mu.*no fix: `
	return nil
}

// seat changes the pool in a helper, behind the lock.
func (r *roster) seat(name string) {
	r.mu.Lock()
	r.names = append(r.names, name)
	r.mu.Unlock()
	r.hold(name) // want `\(\*roster\).seat changes r.pool, in \(\*roster\).hold, after it has released r.mu`
}

func (r *roster) hold(name string) { r.pool[name] = true }

func (r *roster) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names, r.dirty = nil, true
	r.pool = map[string]bool{}
}

func (r *roster) has(name string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.pool[name] && r.dirty
}

func (r *roster) save() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	data, err := json.Marshal(r.names)
	if err != nil {
		return err
	}
	return safeio.WriteFile(filepath.Join(r.dir, "roster.json"), data, 0o600)
}

// A flusher saves in the background what others change.
type flusher struct {
	file    string
	mu      sync.Mutex
	lines   []string
	changed bool
}

func (f *flusher) add(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = append(f.lines, line)
	f.changed = true
}

func (f *flusher) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = nil
	f.changed = true
}

// run does not call them: what they have changed while it saves is forgotten.
func (f *flusher) run(tick <-chan struct{}) error {
	for range tick {
		f.mu.Lock()
		data, err := json.Marshal(f.lines)
		todo := f.changed
		f.mu.Unlock()
		if err != nil || !todo {
			continue
		}
		if err := safeio.WriteFile(f.file, data, 0o600); err != nil {
			return err
		}
		f.changed = false // want `\(\*flusher\).run changes f.changed after it has released f.mu`
	}
	return nil
}
