package encoded

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
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
	return replace(q.path, data) // want `\(\*Queue\).Push encodes q.items under q.mu and writes it to q.path after it has released it: who saves in between is overwritten with an older state`
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

// A server saves in answer to requests.
type server struct {
	mu    sync.Mutex
	path  string
	rooms map[string]int
}

func (s *server) load() error {
	data, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &s.rooms)
}

func (s *server) routes(mux *http.ServeMux) {
	mux.HandleFunc("POST /rooms", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.rooms[r.FormValue("name")]++
		data, err := json.Marshal(s.rooms)
		s.mu.Unlock()
		if err == nil {
			err = replace(s.path, data) // want `\(\*server\).routes encodes s.rooms under s.mu`
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

// A pool has several workers that save.
type pool struct {
	mu   sync.Mutex
	path string
	done map[string]bool
}

func (p *pool) load() error {
	data, err := os.ReadFile(p.path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &p.done)
}

func (p *pool) start(jobs <-chan string) {
	for range 4 {
		go p.work(jobs)
	}
}

func (p *pool) work(jobs <-chan string) {
	for job := range jobs {
		p.mu.Lock()
		p.done[job] = true
		data, err := json.Marshal(p.done)
		p.mu.Unlock()
		if err == nil {
			replace(p.path, data) // want `\(\*pool\).work encodes p.done`
		}
	}
}

// Two loops save the same file.
type board struct {
	mu     sync.Mutex
	path   string
	scores map[string]int
}

func newBoard(path string) *board {
	b := &board{path: path, scores: map[string]int{}}
	if data, err := os.ReadFile(path); err == nil {
		if json.Unmarshal(data, &b.scores) != nil {
			panic(path)
		}
	}
	go b.count()
	go b.age()
	return b
}

func (b *board) count() {
	for range time.Tick(time.Second) {
		b.mu.Lock()
		b.scores["now"]++
		data, err := json.Marshal(b.scores)
		b.mu.Unlock()
		if err == nil {
			replace(b.path, data) // want `\(\*board\).count encodes b.scores`
		}
	}
}

func (b *board) age() {
	for range time.Tick(time.Minute) {
		b.mu.Lock()
		clear(b.scores)
		data, err := json.Marshal(b.scores)
		b.mu.Unlock()
		if err == nil {
			replace(b.path, data) // want `\(\*board\).age encodes b.scores`
		}
	}
}
