// Package quiet has what looks like an early release and is none.
package quiet

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/gofrs/flock"
)

// exclusive: its existence is the lock.
func exclusive(dir string) (func(), error) {
	path := filepath.Join(dir, "index.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return func() {
		f.Close()
		os.Remove(path)
	}, nil
}

// keep lets go and leaves the file.
func keep(dir string) error {
	l := flock.New(filepath.Join(dir, "keep.lock"))
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()
	return nil
}

// other removes the state that the lock guards, and not the lock's file.
func other(dir string) error {
	l := flock.New(filepath.Join(dir, "state.lock"))
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()
	return os.Remove(filepath.Join(dir, "state.json"))
}

// temporary locks in a directory that nobody else knows.
func temporary() error {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		return err
	}
	lockPath := filepath.Join(dir, "run.lock")
	l := flock.New(lockPath)
	if err := l.Lock(); err != nil {
		return err
	}
	l.Unlock()
	return os.Remove(lockPath)
}

// pid: the file says which process runs; that it is locked, too, is beside the
// point.
func pid(dir string) {
	path := filepath.Join(dir, "agent.pid")
	l := flock.New(path)
	if ok, _ := l.TryLock(); ok {
		l.Unlock()
		os.Remove(path)
	}
}

// careful is locked by nobody who does not look again.
func careful(dir string) (*os.File, error) {
	path := filepath.Join(dir, "careful.lock")
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			f.Close()
			return nil, err
		}
		mine, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		if now, err := os.Stat(path); err == nil && os.SameFile(mine, now) {
			return f, nil
		}
		f.Close()
	}
}

func carefulRelease(dir string, f *os.File) error {
	os.Remove(filepath.Join(dir, "careful.lock"))
	return f.Close()
}

func useCareful(dir string) error {
	f, err := careful(dir)
	if err != nil {
		return err
	}
	defer carefulRelease(dir, f)
	return nil
}

// cache is no registry of claims: who looks it up makes no file.
type cache struct {
	mu    sync.Mutex
	dir   string
	pages map[string][]byte
}

func (c *cache) get(name string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pages[name]
}

func (c *cache) put(name string, page []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages[name] = page
}

func (c *cache) evict(name string) {
	c.mu.Lock()
	delete(c.pages, name)
	c.mu.Unlock()
	os.Remove(filepath.Join(c.dir, name+".page"))
}

// sessions holds its mutex until the clean-up is done.
type sessions struct {
	mu   sync.Mutex
	dir  string
	open map[string]*os.File
}

func (s *sessions) start(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[id] != nil {
		return os.ErrExist
	}
	f, err := os.OpenFile(filepath.Join(s.dir, id+".socket"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	s.open[id] = f
	return nil
}

func (s *sessions) stop(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(id)
}

// end is called with the mutex held.
func (s *sessions) end(id string) {
	delete(s.open, id)
	os.Remove(filepath.Join(s.dir, id+".socket"))
}

// last cleans up first.
func (s *sessions) last(id string) {
	os.Remove(filepath.Join(s.dir, id+".socket"))
	s.mu.Lock()
	delete(s.open, id)
	s.mu.Unlock()
}

// rightOrder defers the write behind the unlock, so that it runs first.
func (s *sessions) rightOrder() {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.publish()
}

// again takes the mutex itself.
func (s *sessions) again() {
	defer s.locked()
	s.mu.Lock()
	defer s.mu.Unlock()
}

func (s *sessions) locked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.publish()
}

func (s *sessions) publish() {
	os.Rename(filepath.Join(s.dir, "list.new"), filepath.Join(s.dir, "list"))
}

// sheets has a registry that goes before the clean-up, and of other entries.
type sheets struct {
	mu    sync.Mutex
	dir   string
	pages map[string]*sheet
}

type sheet struct {
	name string
	size int
}

// sweep forgets some entries and removes the files of others.
func (c *sheets) sweep() {
	c.drop()
	c.wipe()
}

func (c *sheets) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pages {
		if p.size == 0 {
			delete(c.pages, p.name)
		}
	}
}

func (c *sheets) wipe() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pages {
		os.Remove(filepath.Join(c.dir, p.name+".page"))
	}
}

// fill makes the file of an entry that it does not find.
func (c *sheets) fill(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages[name] != nil {
		return nil
	}
	p := &sheet{name: name}
	c.pages[name] = p
	f, err := os.OpenFile(filepath.Join(c.dir, name+".page"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// exports are counted, and nobody asks the count before the file is made.
type exports struct {
	mu    sync.Mutex
	dir   string
	count map[string]int
}

func (e *exports) start(name string) error {
	e.mu.Lock()
	e.count[name] = 1
	e.mu.Unlock()
	f, err := os.OpenFile(filepath.Join(e.dir, name+".export"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (e *exports) stop(name string) {
	e.mu.Lock()
	delete(e.count, name)
	e.mu.Unlock()
	os.Remove(filepath.Join(e.dir, name+".export"))
}

// entry is locked itself, and it is no lock file: the program keeps data in it.
func entry(dir string) error {
	path := filepath.Join(dir, "entry.bin")
	l := flock.New(path)
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()
	data, err := os.ReadFile(path)
	if err != nil || len(data) > 0 {
		return err
	}
	return os.Remove(path)
}

// write publishes what it was given after the mutex: that is not what is
// reported here.
func (s *sessions) write() {
	s.mu.Lock()
	n := len(s.open)
	s.mu.Unlock()
	if n > 0 {
		os.Rename(filepath.Join(s.dir, "list.old"), filepath.Join(s.dir, "list"))
	}
}

// both is made with O_EXCL, and locked on top of that.
func both(dir string) error {
	path := filepath.Join(dir, "both.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	f.Close()
	return os.Remove(path)
}

// kill holds the mutex over both.
func (s *sessions) kill(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
	os.Remove(filepath.Join(s.dir, id+".socket"))
}

// shutdown is alone by then, and takes no mutex.
func (s *sessions) shutdown(id string) {
	delete(s.open, id)
	os.Remove(filepath.Join(s.dir, id+".socket"))
}

// A hall has a mutex for its list, and one that all who use it hold.
type hall struct {
	all  sync.Mutex
	list sync.Mutex
	dir  string
	in   map[string]bool
}

func (h *hall) enter(name string) error {
	h.all.Lock()
	defer h.all.Unlock()
	h.list.Lock()
	if h.in[name] {
		h.list.Unlock()
		return os.ErrExist
	}
	h.in[name] = true
	h.list.Unlock()
	return os.WriteFile(filepath.Join(h.dir, name+".seat"), nil, 0o600)
}

func (h *hall) leave(name string) {
	h.all.Lock()
	defer h.all.Unlock()
	h.clear(name)
}

// clear is called with all held.
func (h *hall) clear(name string) {
	h.list.Lock()
	delete(h.in, name)
	h.list.Unlock()
	os.Remove(filepath.Join(h.dir, name+".seat"))
}

// A mount has several files, of which it locks one.
type mount struct{ files map[string]string }

func (m *mount) refresh() error {
	if path, ok := m.files["storage"]; ok {
		l := flock.New(path)
		if err := l.Lock(); err != nil {
			return err
		}
		l.Unlock()
	}
	if path, ok := m.files["hosts"]; ok {
		return os.Remove(path)
	}
	return nil
}
