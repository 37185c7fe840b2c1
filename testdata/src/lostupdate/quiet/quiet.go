package quiet

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"sync"
)

type state struct {
	Runs []string
	N    int
}

func load(path string) (*state, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s state
	return &s, json.Unmarshal(data, &s)
}

func save(path string, s *state) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replace(path, data)
}

func stateFile(dir string) string { return filepath.Join(dir, "state.json") }

// spanned holds the lock from before the load to after the save.
func spanned(dir, run string) error {
	path := stateFile(dir)
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, run)
	return save(path, s)
}

func WithLock(path string, fn func() error) error {
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	return fn()
}

func throughHelper(dir string) error {
	path := stateFile(dir)
	return WithLock(path, func() error {
		s, err := load(path)
		if err != nil {
			return err
		}
		s.N++
		return save(path, s)
	})
}

// bump is called under the lock alone.
func bump(path string) error {
	s, err := load(path)
	if err != nil {
		return err
	}
	s.N++
	return save(path, s)
}

func Count(dir string) error {
	path := stateFile(dir)
	return WithLock(path, func() error { return bump(path) })
}

// resetLocked says who holds the lock.
func resetLocked(path string) error {
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Runs = nil
	return save(path, s)
}

// fresh looks at what is there and writes something of its own.
func fresh(dir, run string) error {
	path := stateFile(dir)
	s, err := load(path)
	if err != nil {
		return err
	}
	if s.N > 3 {
		return nil
	}
	return save(path, &state{Runs: []string{run}}) // want `fresh saves dir/state.json without the lock under which`
}

// backup writes to another file.
func backup(dir string) error {
	s, err := load(stateFile(dir))
	if err != nil {
		return err
	}
	return save(filepath.Join(dir, "backup", "state.json"), s)
}

// reread merges what it has with what is there now.
func reread(dir string, runs []string) error {
	path := stateFile(dir)
	s, err := load(path)
	if err != nil {
		return err
	}
	runs = append(runs, s.Runs...)
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := load(path)
	if err != nil {
		return err
	}
	now.Runs = append(now.Runs, runs...)
	return save(path, now)
}

var input = flag.String("input", "", "the file to rewrite")

// rewrite works on a file of the user's choice.
func rewrite() error {
	s, err := load(*input)
	if err != nil {
		return err
	}
	s.N++
	return save(*input, s)
}

// A daemon owns its file: its mutex is all there is to it.
type daemon struct {
	mu   sync.Mutex
	file string
}

func (d *daemon) add(run string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, err := load(d.file)
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, run)
	return save(d.file, s)
}

// claim makes the file that says that it may work here.
func claim(dir, run string) error {
	f, err := os.OpenFile(filepath.Join(dir, "claim"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	defer os.Remove(f.Name())
	path := stateFile(dir)
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, run)
	return save(path, s)
}

// remember keeps in a cache what can be had again.
func remember(run string) error {
	dir, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "agent", "index.json")
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, run)
	return save(path, s)
}

// touch has callers that call it several times, and in a loop.
func touch(dir string) error {
	path := stateFile(dir)
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := load(path)
	if err != nil {
		return err
	}
	s.N++
	return save(path, s)
}

func touchAll(dirs []string) {
	for _, dir := range dirs {
		if dir == "" {
			touch(".")
			continue
		}
		touch(dir)
	}
}

// A queue has a channel for a mutex, and nobody else its file.
type queue struct {
	path string
	busy chan struct{}
}

func newQueue(path string) *queue { return &queue{path: path, busy: make(chan struct{}, 1)} }

func (q *queue) push(run string) error {
	q.busy <- struct{}{}
	defer func() { <-q.busy }()
	s, err := load(q.path)
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, run)
	return save(q.path, s)
}

// note adds to the end of what it has looked at.
func note(dir string) error {
	path := filepath.Join(dir, "journal.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(data[:len(data)/2])
	return err
}

// Reset is for importers, who name the file and can lock it.
func Reset(path string) error {
	s, err := load(path)
	if err != nil {
		return err
	}
	s.Runs = nil
	return save(path, s)
}

// A txn is there only while the lock is held.
type txn struct{ dir string }

func begin(dir string) (*txn, func(), error) {
	unlock, err := lock(stateFile(dir))
	if err != nil {
		return nil, nil, err
	}
	return &txn{dir}, unlock, nil
}

func (t *txn) bump() error {
	s, err := load(stateFile(t.dir))
	if err != nil {
		return err
	}
	s.N++
	return save(stateFile(t.dir), s)
}

// modify makes lock files, if it is told to.
func modify(dir string, locking bool) error {
	path := stateFile(dir)
	if locking {
		if err := makeLock(path); err != nil {
			return err
		}
		defer os.Remove(path + ".lock")
	}
	s, err := load(path)
	if err != nil {
		return err
	}
	s.N++
	return save(path, s)
}

func makeLock(path string) error {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// A locker may reach beyond the process.
type locker interface {
	Lock()
	Unlock()
}

type container struct {
	lock    locker
	batched bool
	dir     string
}

func (c *container) setHealth(run string) error {
	if !c.batched {
		c.lock.Lock()
		defer c.lock.Unlock()
	}
	s, err := load(filepath.Join(c.dir, "health.json"))
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, run)
	return save(filepath.Join(c.dir, "health.json"), s)
}

// A book is loaded twice before it is saved, under the lock of who calls it.
type book struct {
	dir   string
	pages map[string]string
}

func (b *book) load() error {
	data, err := os.ReadFile(filepath.Join(b.dir, "book.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &b.pages)
}

func (b *book) find(id string) (string, error) {
	if err := b.load(); err != nil {
		return "", err
	}
	return b.pages[id], nil
}

func (b *book) look(id string) (string, error) { return b.find(id) }

func (b *book) tear(id string) error {
	page, err := b.look(id)
	if err != nil {
		return err
	}
	if err := b.load(); err != nil {
		return err
	}
	delete(b.pages, page)
	data, err := json.Marshal(b.pages)
	if err != nil {
		return err
	}
	return replace(filepath.Join(b.dir, "book.json"), data)
}

func (b *book) Tear(id string) error {
	unlock, err := lock(filepath.Join(b.dir, "book.json"))
	if err != nil {
		return err
	}
	defer unlock()
	return b.tear(id)
}

// renew writes who has the lock.
func renew(dir string) error {
	path := filepath.Join(dir, "session.lock")
	h, err := loadHolder(path)
	if err != nil {
		return err
	}
	h.N++
	return saveHolder(path, h)
}

// alone runs work while a file is there that nobody else can make.
func alone(path string, work func() error) error {
	if err := makeLock(path); err != nil {
		return err
	}
	defer os.Remove(path + ".lock")
	return work()
}

// count changes the file where it is alone.
func count(dir string) error {
	path := filepath.Join(dir, "counts.json")
	return alone(path, func() error {
		s, err := load(path)
		if err != nil {
			return err
		}
		s.N++
		return save(path, s)
	})
}

// countTwice comes there from further above.
func countTwice(dir string) error {
	if err := count(dir); err != nil {
		return err
	}
	return count(dir)
}

// withState hands on, within a literal, what is done under the lock.
func withState(dir string, fn func(path string) error) error {
	path := stateFile(dir)
	return WithLock(path, func() error { return fn(path) })
}

// throughLiteral is locked by way of two literals.
func throughLiteral(dir string) error {
	return withState(dir, func(path string) error {
		s, err := load(path)
		if err != nil {
			return err
		}
		s.N++
		return save(path, s)
	})
}

// eachUnderLock saves more often than its callers are told.
func eachUnderLock(dir string) error {
	return WithLock(stateFile(dir), func() error {
		path := stateFile(dir)
		s, err := load(path)
		if err != nil {
			return err
		}
		for range s.Runs {
			s.N++
			if err := save(path, s); err != nil {
				return err
			}
			s.N--
			if err := save(path, s); err != nil {
				return err
			}
		}
		s.N = 0
		return save(path, s)
	})
}
