package encoded

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"sync"
)

// A queue survives the program in a file.
type Queue struct {
	mu    sync.RWMutex
	path  string
	items []string
}

func (q *Queue) load() error {
	data, err := os.ReadFile(q.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &q.items)
}

func (q *Queue) Len() int {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return len(q.items)
}

func (q *Queue) Push(item string) error {
	q.mu.Lock()
	q.items = append(q.items, item)
	data, err := json.Marshal(q.items)
	q.mu.Unlock()
	if err != nil {
		return err
	}
	return replace(q.path, data) // want `\(\*Queue\).Push encodes q.items under q.mu and writes it to q.path after it has let go of it: who saves in between is overwritten with an older state`
}

// Drop changes first, and saves in a function of its own.
func (q *Queue) Drop(n int) error {
	q.mu.Lock()
	q.items = q.items[n:]
	q.mu.Unlock()
	return q.save()
}

func (q *Queue) save() error {
	q.mu.RLock()
	data, err := json.Marshal(q.items)
	q.mu.RUnlock()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(q.path), 0o755); err != nil {
		return err
	}
	if err := replace(q.path, data); err != nil { // want `\(\*Queue\).save encodes q.items`
		log.Printf("queue: %v", err)
		return err
	}
	return nil
}
