package quiet

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// A Store stands for a file.
type Store struct {
	saving sync.Mutex
	mu     sync.RWMutex
	path   string
	items  map[string]string
	change uint64
	saved  uint64
}

func (s *Store) load() error {
	data, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &s.items)
}

func (s *Store) write(items map[string]string) error {
	data, err := json.Marshal(items)
	if err != nil {
		return err
	}
	return replace(s.path, data)
}

// Set holds the mutex of the saves from the copy to the write.
func (s *Store) Set(key, value string) error {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	s.items[key] = value
	snapshot := maps.Clone(s.items)
	s.mu.Unlock()
	return s.write(snapshot) // ok
}

// Clear and Reset have a helper copy and write under the mutex of the saves.
func (s *Store) Clear() error {
	s.mu.Lock()
	clear(s.items)
	s.mu.Unlock()
	s.saving.Lock()
	defer s.saving.Unlock()
	return s.writeAll()
}

func (s *Store) Reset(items map[string]string) error {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	s.items = items
	s.mu.Unlock()
	return s.writeAll()
}

func (s *Store) writeAll() error {
	s.mu.RLock()
	snapshot := maps.Clone(s.items)
	s.mu.RUnlock()
	return s.write(snapshot) // ok
}

// Put writes under the lock.
func (s *Store) Put(key, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[key] = value
	return s.write(maps.Clone(s.items)) // ok
}

// Add has a helper copy and write under one lock.
func (s *Store) Add(key string) error {
	s.mu.Lock()
	s.items[key] = ""
	s.mu.Unlock()
	return s.saveAll()
}

func (s *Store) saveAll() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := json.Marshal(s.items)
	if err != nil {
		return err
	}
	return replace(s.path, data) // ok
}

// Export writes to where the user says.
func (s *Store) Export(path string) error {
	s.mu.RLock()
	data, err := json.Marshal(s.items)
	s.mu.RUnlock()
	if err != nil {
		return err
	}
	return replace(path, data) // ok
}

// Dump is called when the user asks for it.
func (s *Store) Dump() error {
	s.mu.RLock()
	data, err := json.Marshal(s.items)
	s.mu.RUnlock()
	if err != nil {
		return err
	}
	return replace(s.path, data) // ok
}

// SaveCopy writes a file of its own each time.
func (s *Store) SaveCopy() error {
	s.mu.RLock()
	data, err := json.Marshal(s.items)
	s.mu.RUnlock()
	if err != nil {
		return err
	}
	name := fmt.Sprintf("state-%d.json", time.Now().UnixNano())
	return replace(filepath.Join("states", name), data) // ok
}

func (s *Store) loadBackups() error {
	files, err := os.ReadDir("states")
	if err != nil {
		return err
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join("states", f.Name()))
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &s.items); err != nil {
			return err
		}
	}
	return nil
}

// SaveTo writes state, but to where the user says.
func (s *Store) SaveTo(statePath string) error {
	s.mu.RLock()
	data, err := json.Marshal(s.items)
	s.mu.RUnlock()
	if err != nil {
		return err
	}
	return replace(statePath, data) // ok
}

func importState(statePath string) (map[string]string, error) {
	data, err := os.ReadFile(statePath)
	if err != nil {
		return nil, err
	}
	var items map[string]string
	return items, json.Unmarshal(data, &items)
}

// Note writes nothing of what the mutex guards.
func (s *Store) Note(text string) error {
	s.mu.Lock()
	s.items["note"] = text
	s.mu.Unlock()
	data, err := json.Marshal(text)
	if err != nil {
		return err
	}
	return replace(s.path+".note.json", data) // ok
}

// Close is the last to save.
func (s *Store) Close() error {
	s.mu.Lock()
	s.items["closed"] = "yes"
	snapshot := maps.Clone(s.items)
	s.mu.Unlock()
	return s.write(snapshot) // ok
}

// A Versioned store does not write what is older than the file.
type Versioned struct {
	mu      sync.Mutex
	saving  sync.Mutex
	path    string
	items   map[string]string
	version uint64
	written uint64
}

func (v *Versioned) load() error {
	data, err := os.ReadFile(v.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &v.items)
}

type numbered struct {
	items   map[string]string
	version uint64
}

func (v *Versioned) Set(key, value string) error {
	v.mu.Lock()
	v.items[key] = value
	v.version++
	snap := numbered{maps.Clone(v.items), v.version}
	v.mu.Unlock()
	return v.persist(snap)
}

func (v *Versioned) persist(snap numbered) error {
	v.saving.Lock()
	defer v.saving.Unlock()
	if snap.version <= v.written {
		return nil
	}
	data, err := json.Marshal(snap.items)
	if err != nil {
		return err
	}
	if err := replace(v.path, data); err != nil { // ok
		return err
	}
	v.written = snap.version
	return nil
}

// A Counter is saved by one goroutine, and when it ends.
type Counter struct {
	mu   sync.Mutex
	path string
	n    map[string]int
}

func (c *Counter) load() error {
	data, err := os.ReadFile(c.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &c.n)
}

func (c *Counter) Count(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[name]++
}

func NewCounter(ctx context.Context, path string) *Counter {
	c := &Counter{path: path, n: map[string]int{}}
	go c.every(ctx, time.Minute)
	return c
}

func (c *Counter) every(ctx context.Context, d time.Duration) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			c.save()
			return
		case <-t.C:
			c.save()
		}
	}
}

func (c *Counter) save() error {
	c.mu.Lock()
	data, err := json.Marshal(c.n)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return replace(c.path, data) // ok
}

// A Debounced store saves when nothing has changed for a while.
type Debounced struct {
	mu    sync.Mutex
	path  string
	items map[string]string
	timer *time.Timer
}

func (d *Debounced) load() error {
	data, err := os.ReadFile(d.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &d.items)
}

func (d *Debounced) Set(key, value string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.items[key] = value
	if d.timer == nil {
		d.timer = time.AfterFunc(time.Second, d.save)
		return
	}
	d.timer.Reset(time.Second)
}

func (d *Debounced) save() {
	d.mu.Lock()
	snapshot := maps.Clone(d.items)
	d.mu.Unlock()
	if data, err := json.Marshal(snapshot); err == nil {
		replace(d.path, data) // ok
	}
}

// Projects are objects with a lock of their own, found in a map that has another.
type Projects struct {
	mu  sync.RWMutex
	all map[string]*Project
}

type Project struct {
	mu    sync.Mutex
	path  string
	Tasks []string
}

func (p *Project) load() error {
	data, err := os.ReadFile(p.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &p.Tasks)
}

func (ps *Projects) Put(name string, p *Project) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.all[name] = p
}

func (ps *Projects) Add(name, task string) error {
	ps.mu.RLock()
	p := ps.all[name]
	ps.mu.RUnlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Tasks = append(p.Tasks, task)
	data, err := json.Marshal(p.Tasks)
	if err != nil {
		return err
	}
	return replace(p.path, data) // ok
}

// Save writes what is found, which is no copy.
func (ps *Projects) Save(name string) error {
	ps.mu.RLock()
	p := ps.all[name]
	ps.mu.RUnlock()
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return replace(p.path, data) // ok
}

// A Client is made on the first call, and saves its own session.
type Client struct {
	dir     string
	session map[string]string
}

func (c *Client) load() error {
	data, err := os.ReadFile(filepath.Join(c.dir, "session.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &c.session)
}

func (c *Client) save() error {
	data, err := json.Marshal(c.session)
	if err != nil {
		return err
	}
	return replace(filepath.Join(c.dir, "session.json"), data)
}

type Remote struct {
	mu     sync.Mutex
	client *Client
}

func (r *Remote) connect() (*Client, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.client == nil {
		client := &Client{dir: "remote"}
		if err := client.load(); err != nil {
			return nil, err
		}
		r.client = client
	}
	return r.client, nil
}

func (r *Remote) Put(key string) error {
	client, err := r.connect()
	if err != nil {
		return err
	}
	client.session[key] = ""
	return client.save() // ok
}

// Share holds the lock of the file from the copy to the write.
func (s *Store) Share(key, value string) error {
	release, err := lock(s.path + ".lock")
	if err != nil {
		return err
	}
	defer release()
	s.mu.Lock()
	s.items[key] = value
	snapshot := maps.Clone(s.items)
	s.mu.Unlock()
	return s.write(snapshot) // want `\(\*Store\).Share takes the lock of the Store s, and saves it as it was loaded before that`
}

// A Journal compares an atomic number.
type Journal struct {
	mu    sync.Mutex
	path  string
	lines []string
	last  atomic.Uint64
}

func (j *Journal) load() error {
	data, err := os.ReadFile(j.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &j.lines)
}

func (j *Journal) Add(line string) error {
	j.mu.Lock()
	j.lines = append(j.lines, line)
	seq := j.last.Add(1)
	data, err := json.Marshal(j.lines)
	j.mu.Unlock()
	if err != nil {
		return err
	}
	return j.persist(data, seq)
}

func (j *Journal) persist(data []byte, seq uint64) error {
	if seq < j.last.Load() {
		return nil // a newer one is on its way
	}
	return replace(j.path, data) // ok
}

// A Fixed table changes nowhere but where it is made.
type Fixed struct {
	mu    sync.Mutex
	path  string
	names []string
	uses  int
}

func NewFixed(path string) *Fixed {
	f := &Fixed{path: path}
	f.mu.Lock()
	defer f.mu.Unlock()
	if data, err := os.ReadFile(path); err == nil {
		if json.Unmarshal(data, &f.names) != nil {
			panic(path)
		}
	}
	f.names = append(f.names, "default")
	return f
}

func (f *Fixed) loadMore(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names = append(f.names, string(data))
	return nil
}

func (f *Fixed) Save() error {
	f.mu.Lock()
	f.uses++
	data, err := json.Marshal(f.names)
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return replace(f.path, data) // ok
}
