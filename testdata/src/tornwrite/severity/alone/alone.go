// Package alone saves by one goroutine at a time, or by several.
package alone

import (
	"encoding/gob"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"sync"
)

type box struct {
	path  string
	mu    sync.Mutex
	Items map[string]string
}

func (b *box) load() error {
	data, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, b)
}

// ServeHTTP has the mutex for as long as it saves.
func (b *box) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Items[r.URL.Path] = r.Method
	data, err := json.Marshal(b)
	if err != nil {
		return
	}
	tmp := b.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { /* warning */ // want `ServeHTTP writes b.path through b.path.tmp`
		return
	}
	if err := os.Rename(tmp, b.path); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

type crate struct {
	path  string
	Items map[string]string
}

func (c *crate) load() error {
	data, err := os.ReadFile(c.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, c)
}

// ServeHTTP saves with all who are served at the same time.
func (c *crate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := json.Marshal(c)
	if err != nil {
		return
	}
	tmp := c.path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil { /* error */ // want `ServeHTTP writes c.path through c.path.tmp`
		return
	}
	if err := os.Rename(tmp, c.path); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

type bucket struct {
	Name string
	Data map[string]string
}

// saveBuckets shares out the buckets: each goroutine has files of its own.
func saveBuckets(dir string, all []bucket) {
	jobs := make(chan bucket)
	var working sync.WaitGroup
	for range 4 {
		working.Add(1)
		go func() {
			defer working.Done()
			for b := range jobs {
				if err := saveBucket(filepath.Join(dir, b.Name+".bin"), b.Data); err != nil {
					panic(err)
				}
			}
		}()
	}
	for _, b := range all {
		jobs <- b
	}
	close(jobs)
	working.Wait()
}

func saveBucket(path string, data map[string]string) error {
	tmp := path + ".tmp"
	f, err := os.Create(tmp) /* warning */ // want `saveBucket writes path through path.tmp`
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(f).Encode(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

func loadBucket(path string) (data map[string]string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return data, gob.NewDecoder(f).Decode(&data)
}

var _, _ = saveBuckets, loadBucket

var _, _ = (*box).load, (*crate).load
