package marks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var errBusy = errors.New("busy")

// An agent runs once, and says so in a flag.
type agent struct {
	mu      sync.Mutex
	running bool
	dir     string
	wg      sync.WaitGroup
}

func (a *agent) socket() string { return filepath.Join(a.dir, "agent.sock.info") }

func (a *agent) start() error {
	a.mu.Lock()
	if a.running {
		a.mu.Unlock()
		return errBusy
	}
	a.running = true
	a.mu.Unlock()
	return os.WriteFile(a.socket(), nil, 0o600)
}

// stop lets the next one start before it has cleaned up.
func (a *agent) stop() {
	a.mu.Lock()
	a.running = false // want `\(\*agent\).stop frees a.running before it removes a.dir/agent.sock.info: \(\*agent\).start can make the file again in between`
	a.mu.Unlock()
	os.Remove(a.socket())
}

// background leaves the clean-up to a goroutine.
func (a *agent) background() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = false // want `background frees a.running before a goroutine removes a.dir/agent.sock.info`
	a.wg.Go(func() {})
	go func() {
		os.Remove(a.socket())
	}()
}

// later does it after a while.
func (a *agent) later() {
	a.mark(false) // want `later frees a.running before it removes`
	time.AfterFunc(time.Second, func() { os.Remove(a.socket()) })
}

func (a *agent) mark(running bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !running {
		a.running = false
	}
}

// A dump is an atomic flag.
type dump struct {
	busy atomic.Bool
	path string
}

func (d *dump) begin() (*os.File, error) {
	if !d.busy.CompareAndSwap(false, true) {
		return nil, errBusy
	}
	return os.OpenFile(d.path, os.O_CREATE|os.O_WRONLY, 0o600)
}

func (d *dump) end(f *os.File) {
	f.Close()
	d.busy.Store(false) // want `end frees d.busy before it removes d.path: \(\*dump\).begin can make the file again`
	os.Remove(d.path)
}

// A spool has its file, or none.
type spool struct {
	mu   sync.Mutex
	file *os.File
	path string
}

func (s *spool) open() (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		return nil, errBusy
	}
	f, err := os.OpenFile(s.path, os.O_CREATE|os.O_WRONLY, 0o600)
	s.file = f
	return f, err
}

func (s *spool) close() error {
	s.mu.Lock()
	f := s.file
	s.file = nil // want `close frees s.file before it removes s.path: \(\*spool\).open can make the file again`
	s.mu.Unlock()
	if f == nil {
		return nil
	}
	f.Close()
	return os.Remove(s.path)
}

// A yard has a list of the names that are taken.
type yard struct {
	mu    sync.Mutex
	names []string
	dir   string
}

func (y *yard) enter(name string) error {
	y.mu.Lock()
	if slices.Contains(y.names, name) {
		y.mu.Unlock()
		return errBusy
	}
	y.names = append(y.names, name)
	y.mu.Unlock()
	f, err := os.OpenFile(filepath.Join(y.dir, name+".slot"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (y *yard) leave(name string) {
	y.mu.Lock()
	if i := slices.Index(y.names, name); i >= 0 {
		y.names = append(y.names[:i], y.names[i+1:]...) // want `leave frees y.names before it removes y.dir/name.slot: \(\*yard\).enter can make the file again`
	}
	y.mu.Unlock()
	os.Remove(filepath.Join(y.dir, name+".slot"))
}

func (y *yard) drop(name string) {
	y.forget(name) // want `drop frees y.names before it removes y.dir/name.slot`
	os.Remove(filepath.Join(y.dir, name+".slot"))
}

func (y *yard) forget(name string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.names = slices.DeleteFunc(y.names, func(n string) bool { return n == name })
}

// A press has one token.
type press struct {
	token chan struct{}
	dir   string
}

func newPress(dir string) *press { return &press{token: make(chan struct{}, 1), dir: dir} }

func (p *press) take(ctx context.Context) error {
	select {
	case p.token <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *press) print(ctx context.Context, text []byte) error {
	if err := p.take(ctx); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(p.dir, "page.tmp.info"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		<-p.token
		return err
	}
	_, err = f.Write(text)
	f.Close()
	<-p.token // want `print gives back the token of p.token before it removes p.dir/page.tmp.info`
	os.Remove(filepath.Join(p.dir, "page.tmp.info"))
	return err
}

func (p *press) clear(ctx context.Context) error {
	if err := p.take(ctx); err != nil {
		return err
	}
	<-p.token // want `clear gives back the token of p.token before it removes p.dir/page.tmp.info: \(\*press\).print can make the file again`
	return os.Remove(filepath.Join(p.dir, "page.tmp.info"))
}

// A vault locks its files with locks of the whole process, and its registry keeps
// the goroutines apart.
type vault struct {
	mu   sync.Mutex
	used map[string]*door
}

type door struct {
	path string
	file *os.File
}

func (v *vault) lock(name string) (*door, error) {
	path := name + ".vault"
	v.mu.Lock()
	if v.used[path] != nil {
		v.mu.Unlock()
		return nil, errBusy
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		v.mu.Unlock()
		return nil, err
	}
	d := &door{path: path, file: f}
	v.used[path] = d
	v.mu.Unlock()
	return d, syscall.FcntlFlock(f.Fd(), syscall.F_SETLKW, &syscall.Flock_t{Type: syscall.F_WRLCK})
}

// unlock lets go of the lock that the next goroutine has by then.
func (v *vault) unlock(d *door) error {
	v.mu.Lock()
	delete(v.used, d.path) // want `unlock deletes the file's entry in v.used before it releases the lock on d.path: \(\*vault\).lock can lock the file in between, and loses the lock: it is one of the whole process`
	v.mu.Unlock()
	return d.file.Close()
}

// A hatch does so with a flag.
type hatch struct {
	mu   sync.Mutex
	open bool
	file *os.File
	path string
}

func (h *hatch) lock() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open {
		return errBusy
	}
	h.open = true
	f, err := os.OpenFile(h.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	h.file = f
	return syscall.FcntlFlock(f.Fd(), syscall.F_SETLKW, &syscall.Flock_t{Type: syscall.F_WRLCK})
}

func (h *hatch) unlock() error {
	h.mu.Lock()
	f := h.file
	h.open = false // want `unlock frees h.open before it releases the lock on h.path`
	h.mu.Unlock()
	return f.Close()
}

// A turn is taken over from one that has ended, and its file with it.
type turn struct {
	mu   sync.Mutex
	name string
	path string
}

func (t *turn) take(name string) error {
	t.mu.Lock()
	if t.name != "" {
		t.mu.Unlock()
		return errBusy
	}
	t.name = name
	t.mu.Unlock()
	os.Remove(t.path)
	f, err := os.OpenFile(t.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (t *turn) give() {
	t.mu.Lock()
	t.name = "" // want `give frees t.name before it removes t.path: \(\*turn\).take can make the file again`
	t.mu.Unlock()
	os.Remove(t.path)
}

var (
	daemonMu sync.Mutex
	daemonUp bool
)

const daemonInfo = "/run/agentd/daemon.info"

func daemonStart() error {
	daemonMu.Lock()
	if daemonUp {
		daemonMu.Unlock()
		return errBusy
	}
	daemonUp = true
	daemonMu.Unlock()
	f, err := os.OpenFile(daemonInfo, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func daemonStop() {
	daemonMu.Lock()
	daemonUp = false // want `daemonStop frees marks.daemonUp before it removes /run/agentd/daemon.info`
	daemonMu.Unlock()
	os.Remove(daemonInfo)
}
