package aside

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A pump works until it is stopped.
type pump struct {
	mu       sync.Mutex
	stopping bool
	stop     chan bool
	strokes  int
}

func newPump() *pump { return &pump{stop: make(chan bool)} }

func (p *pump) Run() { p.work(time.NewTicker(time.Second)) }

// work looks at a flag in each round, and waits for the channel that says the same.
func (p *pump) work(t *time.Ticker) {
	for {
		if !p.stopping { // want `\(\*pump\).work looks at p.stopping without mu, under which \(\*pump\).Stop changes it at the same time: what it goes by may be half changed, or no longer so.*no fix: what depends on the look has to move under the lock with it`
			p.strokes++
		}
		select {
		case <-t.C:
		case <-p.stop:
			return
		}
	}
}

func (p *pump) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return
	}
	close(p.stop)
	p.stopping = true
}

// A crew has workers, each of which has a lock of its own.
type crew struct {
	mu      sync.Mutex
	workers map[string]*worker
}

type worker struct {
	mu   sync.Mutex
	busy bool
	done chan bool
}

// hire looks at a worker under the lock of the crew.
func (c *crew) hire(name string) {
	c.mu.Lock()
	w := c.workers[name]
	if w != nil && w.busy { // want `\(\*crew\).hire looks at worker.busy without mu, under which \(\*worker\).begin.* changes it at the same time`
		c.mu.Unlock()
		return
	}
	if w == nil {
		w = &worker{done: make(chan bool)}
		c.workers[name] = w
	}
	c.mu.Unlock()
	w.begin()
}

func (w *worker) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = true
	go func() {
		<-w.done
		w.mu.Lock()
		w.busy = false
		w.mu.Unlock()
	}()
}

// A journal begins a new file when the old one is long.
type journal struct {
	dir  string
	mu   sync.Mutex
	file *os.File
	size int
}

// write syncs a file that another call may just close.
func (j *journal) write(line string) error {
	j.mu.Lock()
	if j.size > 1000 {
		if err := j.renew(); err != nil {
			j.mu.Unlock()
			return err
		}
	}
	n, err := j.file.WriteString(line)
	j.size += n
	j.mu.Unlock()
	if err != nil {
		return err
	}
	return j.file.Sync() // want `\(\*journal\).write looks at j.file without mu, under which another call of it changes it at the same time`
}

// renew is called with the lock.
func (j *journal) renew() error {
	j.file.Close()
	f, err := os.CreateTemp(j.dir, "journal")
	if err != nil {
		return err
	}
	j.file, j.size = f, 0
	return nil
}

// A catalog is read once.
type catalog struct {
	dir string
	sync.Mutex
	names []string
}

// list goes by a slice of which it may see a part.
func (c *catalog) list() []string {
	if c.names != nil { // want `\(\*catalog\).list looks at c.names without Mutex, under which another call of it changes it at the same time`
		return c.names
	}
	c.Lock()
	defer c.Unlock()
	var list []string
	for _, name := range []string{"a", "b"} {
		list = append(list, filepath.Join(c.dir, name))
	}
	c.names = list
	return list
}

// A counter hands out numbers.
type counter struct {
	mu   sync.Mutex
	last string
	used map[string]bool
}

func (c *counter) next() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = c.after(c.last)
	return c.last
}

func (c *counter) from(last string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.after(last)
}

// after is called with the lock.
func (c *counter) after(last string) string {
	for c.used[last] {
		last += "'"
	}
	c.used[last] = true
	return last
}

// several gives what it has seen to a function that takes the lock for it.
func several(c *counter, n int) (list []string) {
	for range n {
		list = append(list, c.from(c.last)) // want `several looks at c.last without mu, under which \(\*counter\).next changes it at the same time`
	}
	return list
}

// A title is looked at again.
type title struct {
	mu   sync.Mutex
	text string
}

func (t *title) get() string {
	if t.text != "" { // ok: it is looked at once more under the lock
		return t.text
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.text == "" {
		t.text = strings.Repeat("*", 3)
	}
	return t.text
}

// A survey runs in several goroutines.
type survey struct {
	mu    sync.Mutex
	first map[string]string
}

func (s *survey) run(names []string) {
	s.first = map[string]string{}
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.visit(name)
		}()
	}
	wg.Wait()
}

// visit looks under the lock, and enters without it what it has not found.
func (s *survey) visit(name string) {
	s.mu.Lock()
	_, ok := s.first[name]
	s.mu.Unlock()
	if !ok && os.Mkdir(name, 0o700) == nil {
		s.first[name] = name // want `\(\*survey\).visit changes s.first without s.mu, under which it has looked at it: another call of it looks while the change is half done`
	}
}
