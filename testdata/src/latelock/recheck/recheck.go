package recheck

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"

	"github.com/lockvet/lockvet/safeio"
)

type talk struct {
	Key   string
	Lines []string
}

type hall struct {
	dir   string
	mu    sync.RWMutex
	talks map[string]*talk
}

// join looks and enters under two locks, with nothing in between.
func (h *hall) join(key string) *talk {
	h.mu.RLock()
	t, ok := h.talks[key]
	h.mu.RUnlock()
	if !ok {
		h.mu.Lock()
		t = &talk{Key: key}
		h.talks[key] = t // want `\(\*hall\).join enters a new object into h.talks because an earlier look found none, but has released h.mu since`
		h.mu.Unlock()
	}
	return t
}

// meet compares with nil, and looks under the lock for writers.
func (h *hall) meet(key string) *talk {
	h.mu.Lock()
	t := h.talks[key]
	h.mu.Unlock()
	if t != nil {
		return t
	}
	t = &talk{Key: key}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.talks[key] = t // want `\(\*hall\).meet enters a new object into h.talks`
	return t
}

// greet lets go by hand.
func (h *hall) greet(key string) *talk {
	h.mu.RLock()
	t, ok := h.talks[key]
	h.mu.RUnlock()
	if ok {
		return t
	}
	made := &talk{Key: key}
	h.mu.Lock()
	// It is new.
	h.talks[key] = made // want `\(\*hall\).greet enters a new object into h.talks`
	h.mu.Unlock()
	return made
}

// invite enters a placeholder before it lets go: whoever comes meanwhile finds that.
func (h *hall) invite(key string) *talk {
	h.mu.Lock()
	if t, ok := h.talks[key]; ok {
		h.mu.Unlock()
		return t
	}
	h.talks[key] = &talk{}
	h.mu.Unlock()
	made := &talk{Key: key}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.talks[key] = made
	return made
}

// announce tells others of the new one: it is new all the same.
func (h *hall) announce(key string, tell func(...func() string)) *talk {
	h.mu.Lock()
	if t, ok := h.talks[key]; ok {
		h.mu.Unlock()
		return t
	}
	h.mu.Unlock()
	made := told(key, tell)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.talks[key] = made // want `\(\*hall\).announce enters a new object into h.talks`
	return made
}

func told(key string, tell func(...func() string)) *talk {
	t := talk{Key: key}
	tell(t.title)
	return &t
}

func (t *talk) title() string { return t.Key }

// count does more with what it finds than to return it.
func (h *hall) count(key string) int {
	h.mu.RLock()
	t, ok := h.talks[key]
	h.mu.RUnlock()
	if ok {
		t.Lines = append(t.Lines, "counted")
		return len(t.Lines)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.talks[key] = &talk{Key: key} // want `\(\*hall\).count enters a new object into h.talks.*\(no fix: which of the two objects the function goes on with only its author can say: look again once h.mu is taken, and enter only where there is none by then\)`
	return 0
}

// first asks later whether it was the first.
func (h *hall) first(key string) (*talk, bool) {
	h.mu.RLock()
	t, ok := h.talks[key]
	h.mu.RUnlock()
	if !ok {
		h.mu.Lock()
		t = &talk{Key: key}
		h.talks[key] = t // want `\(\*hall\).first enters a new object into h.talks`
		h.mu.Unlock()
	}
	return t, !ok
}

// visit looks again.
func (h *hall) visit(key string) *talk {
	h.mu.RLock()
	t, ok := h.talks[key]
	h.mu.RUnlock()
	if ok {
		return t
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, ok := h.talks[key]; ok {
		return t
	}
	t = &talk{Key: key}
	h.talks[key] = t
	return t
}

// move enters what it found before under another key.
func (h *hall) move(from, to string) {
	h.mu.RLock()
	t, ok := h.talks[from]
	h.mu.RUnlock()
	if ok {
		h.mu.Lock()
		h.talks[to] = t
		h.mu.Unlock()
	}
}

// open replaces on purpose.
func (h *hall) reopen(key string) {
	h.mu.RLock()
	old := h.talks[key]
	h.mu.RUnlock()
	lines := append([]string{"reopened"}, old.Lines...)
	h.mu.Lock()
	h.talks[key] = &talk{Key: key, Lines: lines}
	h.mu.Unlock()
}

func (h *hall) say(key, line string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.talks[key]
	t.Lines = append(t.Lines, line)
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return safeio.WriteFile(filepath.Join(h.dir, key+".json"), data, 0o600)
}

// renew enters a new one whatever was there.
func (h *hall) renew(key string) *talk {
	h.mu.RLock()
	_, ok := h.talks[key]
	h.mu.RUnlock()
	if ok {
		println("once more: " + key)
	}
	t := &talk{Key: key}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.talks[key] = t // ok
	return t
}

// A seat is the key of a talk, and a booked what is kept under it.
type seat struct{ row, number int }

type ticket struct {
	mu   sync.Mutex
	uses int
}

func (t *ticket) use() {
	t.mu.Lock()
	t.uses++
	t.mu.Unlock()
}

type booked struct {
	name   string
	ticket *ticket
}

type plan struct {
	dir   string
	mu    sync.RWMutex
	seats map[seat]booked
	going sync.Map
}

func newTicket() *ticket { return &ticket{} }

// reserve goes by a part of what it has found, under a key that it has put together, and enters
// a new object within a value.
func (p *plan) reserve(row, number int, name string) *ticket {
	var t *ticket
	at := seat{row: row}
	at.number = number
	p.mu.RLock()
	if b, ok := p.seats[at]; ok {
		t = b.ticket
	}
	p.mu.RUnlock()
	if t == nil {
		t = newTicket()
		p.mu.Lock()
		p.seats[at] = booked{name: name, ticket: t} // want `\(\*plan\).reserve enters a new object into p.seats because an earlier look found none, but has released p.mu since`
		p.mu.Unlock()
	}
	return t
}

// next looks at one seat and enters another.
func (p *plan) next(at seat, name string) *ticket {
	p.mu.RLock()
	b, ok := p.seats[at]
	p.mu.RUnlock()
	if ok {
		return b.ticket
	}
	at.number++
	t := newTicket()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seats[at] = booked{name: name, ticket: t} // ok: another key
	return t
}

// alone has the seat for itself before it looks.
func (p *plan) alone(at seat, name string) *ticket {
	if _, others := p.going.LoadOrStore(at, true); others {
		return nil
	}
	defer p.going.Delete(at)
	p.mu.RLock()
	b, ok := p.seats[at]
	p.mu.RUnlock()
	if ok {
		return b.ticket
	}
	t := newTicket()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seats[at] = booked{name: name, ticket: t} // ok: nobody else comes here with this seat
	return t
}

func (p *plan) cancel(at seat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.seats, at)
}

func (p *plan) save() error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	data, err := json.Marshal(len(p.seats))
	if err != nil {
		return err
	}
	return safeio.WriteFile(filepath.Join(p.dir, "plan.json"), data, 0o600)
}

// A link has a file that another package opens.
type link struct {
	dir  string
	mu   sync.Mutex
	file *os.File
}

func (l *link) begin() error {
	if l.file != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f, err := os.Open(filepath.Join(l.dir, "link"))
	if err != nil {
		return err
	}
	l.file = f // want `\(\*link\).begin sets l.file because an earlier look found it unset, but had not taken l.mu then: two callers go on, and the second undoes what the first has begun`
	return nil
}

func (l *link) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		l.file.Close()
	}
	l.file = nil
}

// A wire is opened by who makes it, and by nobody else.
type wire struct {
	dir  string
	mu   sync.Mutex
	file *os.File
}

func newWire(dir string) (*wire, error) {
	w := &wire{dir: dir}
	return w, w.open()
}

func (w *wire) open() error {
	if w.file == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		f, err := os.Open(filepath.Join(w.dir, "wire"))
		if err != nil {
			return err
		}
		w.file = f // ok: nobody else has the wire
	}
	return nil
}

func (w *wire) send(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return 0, nil
	}
	return w.file.Write(p)
}

func (w *wire) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.file.Close()
	w.file = nil
	return err
}
