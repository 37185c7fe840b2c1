package quiet

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
)

var errTaken = errors.New("taken")

// A unit says in a flag that it runs.
type unit struct {
	mu      sync.Mutex
	running bool
	stopped bool
	err     error
	dir     string
	note    string
	done    chan struct{}
	token   chan struct{}
}

func newUnit(dir string) *unit {
	return &unit{dir: dir, done: make(chan struct{}, 1), token: make(chan struct{}, 1)}
}

func (u *unit) info() string { return filepath.Join(u.dir, "unit.info") }

func (u *unit) start() error {
	u.mu.Lock()
	if u.running {
		u.mu.Unlock()
		return errTaken
	}
	u.running = true
	u.mu.Unlock()
	if u.err != nil {
		return u.err
	}
	u.done <- struct{}{}
	f, err := os.OpenFile(u.info(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		u.err = err
		return err
	}
	return f.Close()
}

// lastOfAll frees it when all is done.
func (u *unit) lastOfAll() {
	os.Remove(u.info())
	u.mu.Lock()
	u.running = false
	u.mu.Unlock()
}

// whole holds the mutex until then.
func (u *unit) whole() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.running = false
	os.Remove(u.info())
}

// part is called by one that does.
func (u *unit) part() {
	u.running = false
	os.Remove(u.info())
}

func (u *unit) all() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.part()
}

// other removes another file.
func (u *unit) other() {
	u.mu.Lock()
	u.running = false
	u.mu.Unlock()
	os.Remove(filepath.Join(u.dir, "unit.log"))
}

// own removes the file of another unit.
func (u *unit) own(o *unit) {
	u.mu.Lock()
	u.running = false
	u.mu.Unlock()
	os.Remove(o.info())
}

// stop sets a flag that nobody asks before he makes the file, and forgets an
// error.
func (u *unit) stop() {
	u.mu.Lock()
	u.stopped = false
	u.err = nil
	u.mu.Unlock()
	os.Remove(u.info())
}

// await gets a signal, which is no token.
func (u *unit) await() {
	<-u.done
	os.Remove(u.info())
}

// turnOver has the token until the file is removed.
func (u *unit) turnOver() error {
	u.token <- struct{}{}
	defer func() { <-u.token }()
	f, err := os.Create(u.info())
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(u.info())
}

// A latch makes its file only if there is none.
type latch struct {
	busy atomic.Bool
	path string
}

func (l *latch) take() error {
	if !l.busy.CompareAndSwap(false, true) {
		return errTaken
	}
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		l.busy.Store(false)
		return err
	}
	return f.Close()
}

func (l *latch) give() {
	l.busy.Store(false)
	os.Remove(l.path)
}

// A page is made anew whether it was there or not.
type page struct {
	mu    sync.Mutex
	fresh bool
	path  string
}

func (p *page) render() error {
	p.mu.Lock()
	if !p.fresh {
		p.fresh = true
	}
	p.mu.Unlock()
	f, err := os.OpenFile(p.path+".html", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (p *page) expire() {
	p.mu.Lock()
	p.fresh = false
	p.mu.Unlock()
	os.Remove(p.path + ".html")
}

// A desk lets go of a lock of its own open file: nobody else loses any by that.
type desk struct {
	mu   sync.Mutex
	open bool
	path string
	file *os.File
}

func (d *desk) lock() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open {
		return errTaken
	}
	d.open = true
	f, err := os.OpenFile(d.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	d.file = f
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
}

func (d *desk) unlock() error {
	d.mu.Lock()
	f := d.file
	d.open = false
	d.mu.Unlock()
	return f.Close()
}

// alone has a flag that no mutex guards: only one goroutine knows it.
type alone struct {
	busy bool
	path string
}

func (a *alone) take() error {
	if a.busy {
		return errTaken
	}
	a.busy = true
	f, err := os.OpenFile(a.path+".alone", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (a *alone) give() {
	a.busy = false
	os.Remove(a.path + ".alone")
}

// A depot has one flag, and a file for everything that is in it.
type depot struct {
	mu    sync.Mutex
	full  bool
	dir   string
	names []string
	wait  chan struct{}
	moved bool
}

func (d *depot) file(name string) string { return filepath.Join(d.dir, name+".crate") }

func (d *depot) bring(name string) error {
	d.mu.Lock()
	if d.full {
		d.mu.Unlock()
		return errTaken
	}
	d.full = len(d.names) > 8
	if !d.full {
		d.full = true
	}
	d.mu.Unlock()
	f, err := os.OpenFile(d.file(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// makeRoom says that there is room, and removes the file of one of many.
func (d *depot) makeRoom(name string) {
	d.mu.Lock()
	d.full = false
	d.mu.Unlock()
	os.Remove(d.file(name))
}

func (d *depot) index() string { return filepath.Join(d.dir, "index.list") }

// write makes the file if nobody has since it was removed.
func (d *depot) write() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.moved {
		return errTaken
	}
	d.moved = true
	f, err := os.OpenFile(d.index(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// waits lets go of the mutex for a while, and has it again from then on.
func (d *depot) waits() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.wait != nil {
		wait := d.wait
		d.mu.Unlock()
		<-wait
		d.mu.Lock()
	}
	d.moved = false
	os.Remove(d.index())
}

// A visit is noted by one helper, and its file made by another, for reasons of
// their own.
func (d *depot) note(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range d.names {
		if n == name {
			return errTaken
		}
	}
	return nil
}

func (d *depot) enroll(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names = append(d.names, name)
}

func (d *depot) visit(name string) error {
	if err := d.note(name); err != nil {
		return err
	}
	d.enroll(name)
	return d.sign(name)
}

func (d *depot) sign(name string) error {
	f, err := os.OpenFile(d.file(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// book does all of it.
func (d *depot) book(name string) error {
	d.mu.Lock()
	if slices.Contains(d.names, name) {
		d.mu.Unlock()
		return errTaken
	}
	d.names = append(d.names, name)
	d.mu.Unlock()
	f, err := os.OpenFile(d.file(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// strike forgets what is not wanted, which need not be what burn removes.
func (d *depot) strike() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names = slices.DeleteFunc(d.names, func(n string) bool { return n == "" })
}

func (d *depot) burn(name string) { os.Remove(d.file(name)) }

func (d *depot) leave(name string) {
	d.strike()
	d.burn(name)
}

// A booth has a mutex for its flag, and one that all who use it hold.
type booth struct {
	all, flag sync.Mutex
	lit       bool
	path      string
}

func (b *booth) enter() error {
	b.all.Lock()
	defer b.all.Unlock()
	b.flag.Lock()
	if b.lit {
		b.flag.Unlock()
		return errTaken
	}
	b.lit = true
	b.flag.Unlock()
	f, err := os.OpenFile(b.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (b *booth) exit() {
	b.all.Lock()
	defer b.all.Unlock()
	b.clear()
}

// clear is called with all held.
func (b *booth) clear() {
	b.flag.Lock()
	b.lit = false
	b.flag.Unlock()
	os.Remove(b.path)
}
